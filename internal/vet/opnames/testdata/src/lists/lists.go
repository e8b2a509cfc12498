// Package lists has lists of ops and things that look like them.
package lists

var rising = map[string]bool{"Exp": true, "Tanh": true, "Sigmoid": true} // want "rising: a literal of 3 ops"

var kinds = map[string]int{"_Next": 1, "Enter": 2, "Exit": 3} // want "kinds: a literal of 3 ops"

var words = "Exp Tanh Sigmoid" // want "words: a text of 3 ops"

var prose = "Print Size Where to next"

var two = []string{"Exp", "Tanh", "no op", "another"}

type set struct{ names []string }

func (s *set) add(names ...string) { s.names = names }

func (s *set) fill() {
	s.add("MatMul", "Conv2D", "BiasAdd") // want "set.fill: a call of 3 ops"
}

func costly(op string) bool {
	switch op { // want "costly: a switch of 3 ops"
	case "Exp", "Log":
		return true
	case "Pow":
		return false
	}
	return false
}

func any(op string) bool {
	switch { // want "any: a switch of 3 ops"
	case op == "Exp" || op == "Log", op == "Pow":
		return true
	}
	return op == "Add" || op == "Sub" || op == "Mul" // want "any: a condition of 3 ops"
}
