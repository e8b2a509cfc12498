package rendezvous

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// Key says which value is meant: what a node on one device has made for another
// device, in an iteration of a frame. Outside of loops frame and iteration are 0.
type Key struct {
	SrcDevice      string // a full device name, as DstDevice is
	SrcIncarnation uint64 // tells a device from the one a restarted process has
	DstDevice      string
	Tensor         string // the edge's name
	Frame          uint64
	Iter           int64
}

// String formats as src_device;src_incarnation;dst_device;tensor_name;frame:iter,
// the incarnation in 16 hexadecimal digits.
func (k Key) String() string {
	return fmt.Sprintf("%s;%016x;%s;%s;%d:%d", k.SrcDevice, k.SrcIncarnation, k.DstDevice, k.Tensor, k.Frame, k.Iter)
}

// ParseKey reads what String writes; InvalidArgument for anything but five parts
// with two device names in their places, and for numbers that are none.
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
		return bad("the frame is no number")
	}
	if k.Iter, err = strconv.ParseInt(iter, 10, 64); err != nil {
		return bad("the iteration is no number")
	}
	return k, nil
}

// deviceName reports a name as TensorFlow parses them: /job:name, /replica:n,
// /task:n and /device:type:n, or /cpu:n and /gpu:n for the last, in any order, * for any.
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

// word reports a letter followed by letters, digits and underscores.
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

// number reports a number that fits 31 bits.
func number(s string) bool {
	_, err := strconv.ParseUint(s, 10, 31)
	return err == nil
}
