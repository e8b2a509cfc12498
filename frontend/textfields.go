package frontend

import "bytes"

// unreadFields are the fields of GraphDef and its messages that TensorFlow defines and graphc does
// not read. Any other field that package pb lacks is an error in a text file, because TensorFlow's
// parser rejects it too.
var unreadFields = map[string]bool{"debug_info": true, "registered_gradients": true, "experimental_type": true, "experimental_full_type": true}

// withoutUnread replaces the unread fields in text by spaces, so that the lines and columns of the
// other fields stay the same. It does not change malformed text, which the parser then rejects.
func withoutUnread(raw []byte) []byte {
	var out []byte
	for i := 0; i < len(raw); {
		end := wordEnd(raw, i)
		if end == i {
			i = tokenEnd(raw, i)
			continue
		}
		if unreadFields[string(raw[i:end])] {
			if stop := valueEnd(raw, end); stop > end {
				if out == nil {
					out = bytes.Clone(raw)
				}
				for k := i; k < stop; k++ {
					if out[k] != '\n' {
						out[k] = ' '
					}
				}
				end = stop
			}
		}
		i = end
	}
	if out == nil {
		return raw
	}
	return out
}

// wordEnd returns the end of the name or number that begins at raw[i]. It returns i if no name or
// number begins there.
func wordEnd(raw []byte, i int) int {
	for ; i < len(raw); i++ {
		if c := raw[i]; c != '_' && c != '.' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			break
		}
	}
	return i
}

// tokenEnd returns the end of the token that begins at raw[i]: a string, a comment, or a single
// byte.
func tokenEnd(raw []byte, i int) int {
	switch c := raw[i]; c {
	case '#':
		for i < len(raw) && raw[i] != '\n' {
			i++
		}
		return i
	case '"', '\'':
		for i++; i < len(raw) && raw[i] != c && raw[i] != '\n'; i++ {
			if raw[i] == '\\' {
				i++
			}
		}
		return min(i+1, len(raw))
	}
	return i + 1
}

// valueEnd returns the end of the field value after the field name that ends at i: a scalar, a
// message or a list. It returns i if no value follows.
func valueEnd(raw []byte, i int) int {
	start, depth, colon := i, 0, false
	for i < len(raw) {
		switch c := raw[i]; c {
		case ' ', '\t', '\n', '\r':
			i++
		case '#':
			i = tokenEnd(raw, i)
		case ':':
			colon = true
			i++
		case '{', '<', '[':
			depth++
			i++
		case '}', '>', ']':
			if depth == 0 {
				return start
			}
			i++
			if depth--; depth == 0 {
				return i
			}
		default:
			if depth == 0 && !colon {
				return start
			}
			if end := wordEnd(raw, i); end > i {
				i = end
			} else {
				i = tokenEnd(raw, i)
			}
			if depth == 0 && raw[i-1] != '-' {
				return i
			}
		}
	}
	return start
}
