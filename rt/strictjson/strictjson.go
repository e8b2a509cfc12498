// Package strictjson finds duplicate keys in JSON objects. If a key occurs twice in an object,
// encoding/json uses the last value, but some other parsers use the first one. Such a file could mean
// different things to different programs.
package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Check returns an error if an object in text has a duplicate key. The error names the key. The text
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

// scan is the state of Check.
type scan struct {
	open    []level
	keys    [][]byte // the keys of all open objects
	wantKey bool     // whether the next string is a key
}

// level is an object or a list whose end was not read yet.
type level struct {
	first  int // the index of its first key in scan.keys
	object bool
	seen   map[string]bool // the object's keys, if it has more keys than the constant few; otherwise nil
}

// few is the largest number of keys of an object that are compared one by one, without a map.
const few = 16

// key records a key of the innermost open object. The error names the key if it is a duplicate. The
// parameter quoted is the key with its quotation marks.
func (s *scan) key(quoted []byte) error {
	if len(quoted) < 2 {
		return nil // the text ends with an opening quotation mark
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

// stringEnd returns the index after the string that begins at i.
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
