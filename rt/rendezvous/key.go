package rendezvous

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// Key identifies a value that one device sends to another: the result of a node on the sending
// device, in one iteration of a frame. Outside of loops, Frame and Iter are 0.
type Key struct {
	SrcDevice string // a full device name, like DstDevice
	// a number that changes when the process of the device is restarted
	SrcIncarnation uint64
	DstDevice      string
	Tensor         string // the edge's name
	Frame          uint64
	Iter           int64
}

// String formats the key as src_device;src_incarnation;dst_device;tensor_name;frame:iter, with the
// incarnation as 16 hexadecimal digits.
func (k Key) String() string {
	return fmt.Sprintf("%s;%016x;%s;%s;%d:%d", k.SrcDevice, k.SrcIncarnation, k.DstDevice, k.Tensor, k.Frame, k.Iter)
}

// ParseKey parses the format of String. The error is InvalidArgument unless s has five parts with
// valid device names and numbers.
func ParseKey(s string) (Key, error) {
	bad := func(why string) (Key, error) {
		return Key{}, tensor.Errorf(tensor.InvalidArgument, "invalid rendezvous key %q: %s", s, why)
	}
	p := strings.Split(s, ";")
	if len(p) != 5 {
		return bad("it has " + strconv.Itoa(len(p)) + " parts, not five")
	}
	k := Key{SrcDevice: p[0], DstDevice: p[2], Tensor: p[3]}
	if !deviceName(p[0]) || !deviceName(p[2]) {
		return bad("parts one and three are device names")
	}
	var err error
	if k.SrcIncarnation, err = strconv.ParseUint(p[1], 16, 64); err != nil || len(p[1]) > 16 {
		return bad("the incarnation is not 16 hexadecimal digits")
	}
	if k.Tensor == "" {
		return bad("the tensor has no name")
	}
	frame, iter, ok := strings.Cut(p[4], ":")
	if !ok {
		return bad("the last part is frame:iteration")
	}
	if k.Frame, err = strconv.ParseUint(frame, 10, 64); err != nil {
		return bad("the frame is not a number")
	}
	if k.Iter, err = strconv.ParseInt(iter, 10, 64); err != nil {
		return bad("the iteration is not a number")
	}
	return k, nil
}

// deviceName reports whether s is a device name that TensorFlow accepts. It consists of the parts
// /job:name, /replica:n, /task:n and /device:type:n, in any order. Instead of /device:type:n it may
// contain /cpu:n or /gpu:n. A name or number may be *, which matches anything.
func deviceName(s string) bool {
	if s == "" {
		return false
	}
	if s == "/" {
		return true
	}
	for s != "" {
		head, rest := s[1:], ""
		if s[0] != '/' {
			return false
		}
		if i := strings.IndexByte(head, '/'); i >= 0 {
			head, rest = head[:i], head[i:]
		}
		field, value, ok := strings.Cut(head, ":")
		switch field {
		case "job":
			ok = ok && (value == "*" || word(value))
		case "replica", "task", "cpu", "CPU", "gpu", "GPU":
			ok = ok && (value == "*" || number(value))
		case "device":
			typ, id, numbered := strings.Cut(value, ":")
			ok = ok && (typ == "*" || word(typ)) && (!numbered || id == "*" || number(id))
		default:
			ok = false
		}
		if !ok {
			return false
		}
		s = rest
	}
	return true
}

// word reports whether s is a letter followed by letters, digits and underscores.
func word(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}

// number reports whether s is a decimal number of at most 31 bits.
func number(s string) bool {
	_, err := strconv.ParseUint(s, 10, 31)
	return err == nil
}
