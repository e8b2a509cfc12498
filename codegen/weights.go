package codegen

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"runtime"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// weightsFile is the weights file that all signatures share.
type weightsFile struct {
	name     string
	size     int
	parts    []weightsPart
	bytes    []byte // the whole file, once its parts are known
	sections []rt.Section
	strings  []rt.Section
	offset   map[*plan.Const]int // for constants of numbers: the offset of the section
	index    map[*plan.Const]int // for constants of strings: the index among the string constants
}

// weightsPart is a constant's bytes and their offset in the file.
type weightsPart struct {
	at    int
	bytes []byte
}

// weights writes the constants of all plans. Equal constants are written once.
func (e *emitter) weights() error {
	w := &e.data
	w.offset, w.index = map[*plan.Const]int{}, map[*plan.Const]int{}
	seen := map[[32]byte]int{}
	for _, s := range e.all() {
		for _, c := range s.plan.Consts {
			if !s.reads(c) {
				continue
			}
			if err := w.add(c, seen); err != nil {
				return err
			}
		}
	}
	for _, c := range e.carried() {
		if err := w.add(c, seen); err != nil {
			return err
		}
	}
	if w.parts == nil {
		return nil
	}
	w.join()
	copy(w.bytes, rt.WeightsMagic)
	sum := ir.NewHash()
	sum.Write(w.bytes[rt.HeaderSize:])
	copy(w.bytes[rt.HeaderSize-32:], sum.Sum(nil))
	w.name = e.Name + "_weights.bin"
	e.files[w.name] = w.bytes
	return nil
}

// join copies the parts into one slice. Go cannot preempt a goroutine within one copy, so large
// parts are copied in chunks, as in ir.NewHash.
func (w *weightsFile) join() {
	const most = 1 << 20
	w.bytes = make([]byte, w.size)
	for _, p := range w.parts {
		for done := 0; done < len(p.bytes); {
			done += copy(w.bytes[p.at+done:], p.bytes[done:min(done+most, len(p.bytes))])
			runtime.Gosched()
		}
	}
	w.parts = nil
}

// add adds a constant to the file. If the map seen has the hash of an equal constant, the two share
// one place in the file.
func (w *weightsFile) add(c *plan.Const, seen map[[32]byte]int) error {
	b, unit, err := constBytes(c)
	if err != nil {
		return fmt.Errorf("constant %q: %w", c.Name, err)
	}
	if w.parts == nil {
		w.size = rt.HeaderSize
	}
	h := ir.NewHash()
	fmt.Fprintf(h, "%t %d\n", unit == 0, unit)
	h.Write(b)
	key := [32]byte(h.Sum(nil))
	at, dup := seen[key]
	if !dup {
		w.size = (w.size + mem.Align - 1) / mem.Align * mem.Align
		sec := rt.Section{Off: w.size, Size: len(b), Unit: unit}
		w.parts = append(w.parts, weightsPart{sec.Off, b})
		w.size += len(b)
		at = sec.Off
		if unit == 0 {
			at = len(w.strings)
			w.strings = append(w.strings, sec)
		} else if unit > 1 && len(b) > 0 {
			w.note(sec)
		}
		seen[key] = at
	}
	if unit == 0 {
		w.index[c] = at
	} else {
		w.offset[c] = at
	}
	return nil
}

// note adds a section of numbers to the list of sections. If the previous section is adjacent and
// has numbers of the same width, the two become one section, which includes the zeros between them.
func (w *weightsFile) note(s rt.Section) {
	if n := len(w.sections); n > 0 {
		last := &w.sections[n-1]
		if last.Unit == s.Unit && s.Off-last.Off-last.Size < mem.Align {
			last.Size = s.Off + s.Size - last.Off
			return
		}
	}
	w.sections = append(w.sections, s)
}

// reads reports whether a step, a fetch or a resource uses the constant.
func (s *signature) reads(c *plan.Const) bool {
	if s.consts == nil {
		s.consts = map[*plan.Const]bool{}
		use := func(b *plan.Buf) {
			if r := b.Root(); r.Const != nil {
				s.consts[r.Const] = true
			}
		}
		for _, st := range s.plan.Steps {
			st.Views(func(v plan.View) { use(v.Buf) })
		}
		for _, f := range s.plan.Fetches {
			use(f.Buf)
		}
		for _, b := range s.plan.Bufs {
			if b.Object != nil {
				objectCall(b).Views(func(v plan.View) { use(v.Buf) })
			}
		}
	}
	return s.consts[c]
}

// constBytes returns a constant's bytes in little-endian order, and the width of its numbers (0 for
// strings).
func constBytes(c *plan.Const) (b []byte, unit int, err error) {
	if ss, ok := c.Data.([]string); ok {
		b = binary.AppendUvarint(nil, uint64(len(ss)))
		for _, s := range ss {
			b = binary.AppendUvarint(b, uint64(len(s)))
			b = append(b, s...)
		}
		return b, 0, nil
	}
	v := reflect.ValueOf(c.Data)
	if !c.DType.IsData() || v.Kind() != reflect.Slice || v.Type().Elem() != c.DType.GoType() {
		return nil, 0, fmt.Errorf("holds %T, not elements of type %v", c.Data, c.DType)
	}
	unit = c.DType.Size()
	if c.DType == tensor.Complex64 || c.DType == tensor.Complex128 {
		unit /= 2
	}
	if v.Len() == 0 {
		return nil, unit, nil
	}
	b = tensor.Raw(v)
	if binary.NativeEndian.Uint16([]byte{0, 1}) == 1 && unit > 1 { // a big-endian host
		b = append([]byte(nil), b...)
		for i := 0; i < len(b); i += unit {
			for l, r := i, i+unit-1; l < r; l, r = l+1, r-1 {
				b[l], b[r] = b[r], b[l]
			}
		}
	}
	return b, unit, nil
}
