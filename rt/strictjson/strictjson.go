// Package strictjson finds keys that a JSON object has twice. Of these encoding/json takes
// the last and other readers the first, so that a file means one thing to one of them and
// another thing to the next.
package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Check returns an error that names a key which some object of text has twice. The text
// must be JSON that encoding/json has accepted.
func Check(text []byte) error {
	var s scan
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			end := stringEnd(text, i)
			if s.wantKey {
				if err := s.key(text[i:end]); err != nil {
					return fmt.Errorf("at byte %d: %w", i, err)
				}
			}
			s.wantKey = false
			i = end - 1
		case '{', '[':
			s.open = append(s.open, level{first: len(s.keys), object: c == '{'})
			s.wantKey = c == '{'
		case ',':
			s.wantKey = len(s.open) > 0 && s.open[len(s.open)-1].object
		case '}', ']':
			if n := len(s.open); n > 0 {
				s.keys = s.keys[:s.open[n-1].first]
				s.open = s.open[:n-1]
			}
			s.wantKey = false
		}
	}
	return nil
}

// scan is where Check is.
type scan struct {
	open    []level
	keys    [][]byte // of all objects that are open
	wantKey bool     // the next string is a key
}

// level is an object or a list that is open.
type level struct {
	first  int // its first key in scan.keys
	object bool
	seen   map[string]bool // its keys, where there are many
}

// few is how many keys are compared one by one.
const few = 16

// key notes a key of the innermost object, with its quotes.
func (s *scan) key(quoted []byte) error {
	if len(quoted) < 2 {
		return nil // the text ends in it
	}
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		var plain string
		if err := json.Unmarshal(quoted, &plain); err != nil {
			return err
		}
		name = []byte(plain)
	}
	in := &s.open[len(s.open)-1]
	twice := in.seen[string(name)]
	if in.seen == nil {
		for _, k := range s.keys[in.first:] {
			twice = twice || bytes.Equal(k, name)
		}
	}
	if twice {
		return fmt.Errorf("the key %.60q is there twice", name)
	}
	switch {
	case in.seen != nil:
		in.seen[string(name)] = true
		return nil
	case len(s.keys)-in.first == few:
		in.seen = map[string]bool{string(name): true}
		for _, k := range s.keys[in.first:] {
			in.seen[string(k)] = true
		}
		return nil
	}
	s.keys = append(s.keys, name)
	return nil
}

// stringEnd is the index behind the string that begins at i.
func stringEnd(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
