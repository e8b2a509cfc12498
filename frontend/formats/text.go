package formats

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"
)

// text returns the beginning of a text file, without a byte order mark. It returns "" for a file
// that is not UTF-8 or has control characters. A binary GraphDef is therefore not treated as text,
// because it has control characters before each name.
func (in *Input) text() string {
	if !in.isFile() {
		return ""
	}
	head := bytes.TrimPrefix(in.head, []byte("\ufeff"))
	for i := 0; i < utf8.UTFMax && i < len(head) && len(in.head) == headBytes; i++ { // the last rune may be incomplete
		if utf8.Valid(head[:len(head)-i]) {
			head = head[:len(head)-i]
			break
		}
	}
	control := func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\r\f", r) }
	if !utf8.Valid(head) || bytes.IndexFunc(head, control) >= 0 {
		return ""
	}
	return string(head)
}

// begins reports whether a text begins with one of the prefixes. Leading space and the case of
// letters do not matter.
func begins(text string, prefixes ...string) bool {
	text = strings.TrimSpace(text)
	for _, p := range prefixes {
		if len(text) >= len(p) && strings.EqualFold(text[:len(p)], p) {
			return true
		}
	}
	return false
}

var (
	pythonLine = regexp.MustCompile(`(?m)^(import [A-Za-z_][\w.]*( as \w+)?(, .*)?|from [\w.]+ import .+|def \w+\(.*|class \w+.*:)\r?$`)
	mlirLine   = regexp.MustCompile(`(?m)^\s*(module( @\S+)?( attributes)? ?\{|func\.func |#loc\b)`)
	metaField  = regexp.MustCompile(`(?m)\A(\s|#.*$)*(meta_info_def|graph_def|saver_def|collection_def|signature_def)\s*:?\s*\{`)
)

// jsonKeys returns the keys of the JSON object in the file, and the keys of the objects directly
// inside it in the form "outer.inner". If the key "format" has a string as its value, for example
// "layers-model", the result also has the key "format=layers-model". Only the file's head is read,
// so keys after it are missing.
func (in *Input) jsonKeys() map[string]bool {
	if in.keys != nil {
		return in.keys
	}
	in.keys = map[string]bool{}
	if text := in.text(); strings.HasPrefix(strings.TrimSpace(text), "{") {
		in.readKeys(json.NewDecoder(strings.NewReader(text)))
	}
	return in.keys
}

// readKeys reads tokens until the text ends or is malformed.
func (in *Input) readKeys(d *json.Decoder) {
	// one level of nesting: whether it is an object, and whether the next token is a value in this object
	type level struct{ object, value bool }
	var stack []level
	var outer, key string
	for {
		tok, err := d.Token()
		if err != nil || len(in.keys) == maxNames {
			return
		}
		top := len(stack) - 1
		if s, ok := tok.(string); ok && top >= 0 && stack[top].object && !stack[top].value {
			switch key = s; top {
			case 0:
				outer = s
				in.keys[s] = true
			case 1:
				in.keys[outer+"."+s] = true
			}
			stack[top].value = true
			continue
		}
		if top >= 0 {
			stack[top].value = false
		}
		switch tok := tok.(type) {
		case json.Delim:
			if tok == '{' || tok == '[' {
				stack = append(stack, level{object: tok == '{'})
			} else {
				stack = stack[:top]
			}
		case string:
			if top == 0 && key == "format" {
				in.keys["format="+tok] = true
			}
		}
	}
}
