package exec

import (
	"reflect"
	"runtime/debug"
	"unsafe"

	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// drop releases a buffer's memory.
func (r *run) drop(b *plan.Buf) {
	if b.Place.OnDevice() {
		r.dropDevice(b)
		return
	}
	if m, ok := r.mem[b]; ok {
		n := m.Len() * b.DType.Size()
		r.budget.Give(n)
		r.garbage += n
		delete(r.mem, b)
	}
}

// spare is called when memory is short. The parameter made is the number of bytes of string and
// handle values that kernels have made so far. The first result is the number of these bytes that
// the run no longer uses. The second result is always 0. See mem.Budget.Init.
func (r *run) spare(made int) (values, other int) {
	if made-r.live <= r.MaxBytes/64 {
		return 0, 0
	}
	var texts [][]string
	var handles [][]tensor.Handle
	for _, m := range r.mem {
		switch v := m.Interface().(type) {
		case []string:
			texts = append(texts, v)
		case []tensor.Handle:
			handles = append(handles, v)
		}
	}
	r.live = min(made, mem.Held(texts, handles))
	return made - r.live, 0
}

// view returns the elements of v as a slice, or the address of the first element if v is in device
// memory. The result becomes an argument of a kernel. A root buffer, which is not part of another
// buffer, gets its memory at the first write.
func (r *run) view(v plan.View) (reflect.Value, error) {
	root := v.Buf.Root()
	if root.Place.OnDevice() {
		at, err := r.pointer(v)
		return reflect.ValueOf(at), err
	}
	m, ok := r.mem[root]
	n, err := r.eval(v.Len)
	if err != nil {
		return m, err
	}
	if !ok && n == 0 { // an empty view needs no memory
		return reflect.MakeSlice(reflect.SliceOf(v.Buf.DType.GoType()), 0, 0), nil
	}
	if !ok {
		if m, err = r.storage(root, v.Mode); err != nil {
			return m, err
		}
		r.mem[root] = m
	}
	off, err := r.eval(v.Buf.ByteOffset())
	if err != nil {
		return m, err
	}
	size := v.Buf.DType.Size()
	if v.Off != nil {
		o, err := r.eval(v.Off)
		if err != nil {
			return m, err
		}
		off += o * size
	}
	if n < 0 || off < 0 || off+n*size > m.Len()*root.DType.Size() {
		return m, tensor.Errorf(tensor.InvalidArgument, "%d elements at byte %d are outside the %d bytes of %s", n, off, m.Len()*root.DType.Size(), root.Name)
	}
	elem := v.Buf.DType.GoType()
	if n == 0 {
		return reflect.MakeSlice(reflect.SliceOf(elem), 0, 0), nil
	}
	if elem == m.Type().Elem() {
		return m.Slice3(off/size, off/size+n, off/size+n), nil
	}
	return reflect.SliceAt(elem, unsafe.Add(m.UnsafePointer(), off), n), nil
}

// grow releases the memory of a buffer if the buffer's size has changed.
func (r *run) grow(b *plan.Buf) {
	if b.Place == plan.DeviceGrow {
		m, ok := r.work.mem[b]
		if n, err := r.eval(b.Len); ok && (err != nil || n*b.DType.Size() != m.Size()) {
			r.drop(b)
		}
		return
	}
	m, ok := r.mem[b]
	if !ok {
		return
	}
	if n, err := r.eval(b.Len); err != nil || n != m.Len() {
		r.drop(b)
	}
}

// room replaces the memory of a buffer by new memory that has the buffer's current size.
func (r *run) room(b *plan.Buf) error {
	r.drop(b)
	if b.Place == plan.DeviceGrow {
		n, err := r.eval(b.Len)
		if err == nil {
			_, err = r.deviceMemory(b, plan.Write, n)
		}
		return err
	}
	m, err := r.storage(b, plan.Write)
	if err == nil {
		r.mem[b] = m
	}
	return err
}

// sweep frees dropped buffers if the run uses more than half of the memory that it may use, and there
// may be much garbage. Otherwise the buffers and the garbage together could take twice as much memory
// as the run may use, because Go's collector waits until the heap has doubled.
func (r *run) sweep() {
	if r.budget.Used() > r.MaxBytes/2 && r.garbage > r.MaxBytes/8 {
		debug.FreeOSMemory()
		r.garbage = 0
	}
}

func (r *run) storage(b *plan.Buf, mode plan.Mode) (reflect.Value, error) {
	switch b.Place {
	case plan.Constant:
		return reflect.ValueOf(b.Const.Data), nil
	case plan.Kept:
		return r.kept[b.Name], nil
	}
	n, err := r.eval(b.Len)
	if err != nil {
		return reflect.Value{}, err
	}
	if mode == plan.Read && n > 0 { // a buffer without elements may be read before it is written
		return reflect.Value{}, tensor.Errorf(tensor.Internal, "%s is read before it is written", b.Name)
	}
	if n < 0 {
		return reflect.Value{}, tensor.Errorf(tensor.InvalidArgument, "%s would have %d elements", b.Name, n)
	}
	size := b.DType.Size()
	if r.budget.Take(mem.Mul(n, size)) != nil {
		return reflect.Value{}, tensor.Errorf(tensor.ResourceExhausted, "%s takes %d elements of %d bytes: a run may take %d bytes in all"+mem.Raise, b.Name, n, size, r.MaxBytes)
	}
	r.mark.Grew(n*size, r.budget.Used())
	r.sweep()
	m := reflect.ValueOf(tensor.MakeSlice(b.DType, n))
	if n > 0 && b.DType != tensor.String && b.DType != tensor.Bool && !b.DType.Opaque() {
		raw := unsafe.Slice((*byte)(m.UnsafePointer()), n*size)
		for i := range raw {
			raw[i] = 0xfb
		}
	}
	return m, nil
}
