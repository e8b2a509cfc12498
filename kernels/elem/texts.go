package elem

import "github.com/graphc/graphc/rt/mem"

// countTexts counts n strings against the budget, each a concatenation of one of a and one of b. If
// a or b has only one string, that string is part of all results.
func countTexts(run *mem.Budget, n int, a, b []string) {
	total := 0
	for _, o := range [...][]string{a, b} {
		if n > 0 && len(o) < n {
			total = mem.Add(total, mem.Mul(n, len(o[0])))
			continue
		}
		for _, t := range o[:n] {
			total = mem.Add(total, len(t))
		}
	}
	run.MustMake(total)
}
