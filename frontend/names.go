package frontend

import (
	"strconv"
	"strings"
)

// validName reports whether TensorFlow accepts a node name. A name consists of one or more parts,
// separated by the character >. A part consists of letters, digits, underscores, dots, dashes and
// slashes. Each part begins with a letter, a digit or a dot. If internal is true, the first part
// may also begin with an underscore.
func validName(s string, internal bool) bool {
	for first := true; ; first = false {
		part, rest, more := strings.Cut(s, ">")
		if part == "" {
			return false
		}
		for i := range len(part) {
			c := part[i]
			switch {
			case c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '.':
			case c == '_' && i == 0 && first && internal:
			case i > 0 && (c == '_' || c == '-' || c == '/'):
			default:
				return false
			}
		}
		if !more {
			return true
		}
		s = rest
	}
}

// tensorName splits a tensor's name such as name:3 into node and index; without a number the index
// is 0. As in TensorFlow, text after the colon is part of the name unless it is a number.
func tensorName(s string) (node string, index int) {
	if i := strings.LastIndexByte(s, ':'); i > 0 && i < len(s)-1 {
		for _, c := range []byte(s[i+1:]) {
			if c < '0' || c > '9' {
				return s, 0
			}
		}
		if n, err := strconv.ParseUint(s[i+1:], 10, 31); err == nil {
			return s[:i], int(n)
		}
	}
	return s, 0
}

// validDevice reports whether a device string parses. A device string has parts of the forms
// /job:name, /replica:n, /task:n, /device:TYPE:n, or the older /cpu:n and /gpu:n. A * in place of a
// number matches all numbers.
func validDevice(s string) bool {
	if s == "" {
		return true
	}
	if s[0] != '/' {
		return false
	}
	for _, part := range strings.Split(s[1:], "/") {
		key, val, ok := strings.Cut(part, ":")
		if part == "" {
			continue
		}
		if !ok {
			return false
		}
		switch key {
		case "job":
			if val != "*" && !isDeviceWord(val) {
				return false
			}
		case "replica", "task", "cpu", "gpu", "CPU", "GPU":
			if !isDeviceNumber(val) {
				return false
			}
		case "device":
			kind, n, numbered := strings.Cut(val, ":")
			if kind != "*" && !isDeviceWord(kind) || numbered && !isDeviceNumber(n) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isDeviceWord reports whether s is a letter followed by letters, digits, underscores and dashes.
func isDeviceWord(s string) bool {
	for i, c := range []byte(s) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '_' && c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}

func isDeviceNumber(s string) bool {
	if s == "*" {
		return true
	}
	_, err := strconv.ParseUint(s, 10, 31)
	return err == nil
}
