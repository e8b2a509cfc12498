// Package container holds the kernels of TensorLists, TensorArrays and stacks. They copy
// between a run's buffers and the values that package resource keeps.
//
// Kernels that move elements have three forms: Raw for the bytes of plain elements, Str for
// strings, Hnd for handles. A partly known shape is passed as two parameters: a slice with -1 for
// unknown dimensions, and a bool that is false if even the rank is unknown.
package container

//go:generate go run -C ../_gen ./container -root ../..

import (
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// NewList creates a list of n unset elements. The parameter most is the largest number of elements to
// which PushBack may grow the list; -1 means no limit. NewList returns InvalidArgument for a negative n.
func NewList(run *mem.Budget, dst []tensor.Handle, n []int32, most int, d tensor.DType, elem []int, known bool) error {
	l, err := resource.NewList(d, resource.Partial{Known: known, Dims: elem}, int(n[0]), most)
	if err = give(dst, l, err); err == nil {
		err = l.Charge(run)
	}
	return err
}

// Adopt counts the tensors of a new list against a run's budget.
func Adopt(run *mem.Budget, list []tensor.Handle) error {
	l, err := resource.ListOf(list)
	if err == nil {
		err = l.Charge(run)
	}
	return err
}

// EmptyList creates a list without elements: see NewList.
func EmptyList(run *mem.Budget, dst []tensor.Handle, most []int32, d tensor.DType, elem []int, known bool) error {
	l, err := resource.NewList(d, resource.Partial{Known: known, Dims: elem}, 0, int(most[0]))
	if err = give(dst, l, err); err == nil {
		err = l.Charge(run)
	}
	return err
}

func give(dst []tensor.Handle, l *resource.List, err error) error {
	if err == nil {
		dst[0].V = l
	}
	return err
}

func listSet(dst, src []tensor.Handle, index []int32, item resource.Data, shape []int, d tensor.DType, resize, own bool) error {
	l, err := resource.TypedListOf(src, d)
	if err == nil {
		l, err = l.Set(int(index[0]), shape, item, resize, own)
	}
	return give(dst, l, err)
}

func listPush(dst, src []tensor.Handle, item resource.Data, shape []int, d tensor.DType, own bool) error {
	l, err := resource.TypedListOf(src, d)
	if err == nil {
		l, err = l.Push(shape, item, own)
	}
	return give(dst, l, err)
}

func listPushBatch(dst, src []tensor.Handle, rows resource.Data, shape []int, d tensor.DType) error {
	per := 1
	for _, n := range shape {
		per *= n
	}
	for i := range src {
		if err := listPush(dst[i:i+1], src[i:i+1], rows.Window(d, i*per, per), shape, d, false); err != nil {
			return err
		}
	}
	return nil
}

// ListDim returns dimension k of the list element at the given index. ask is the shape that the
// graph expects.
func ListDim(src []tensor.Handle, index []int32, d tensor.DType, ask []int, known bool, k int) (int, error) {
	l, err := resource.TypedListOf(src, d)
	if err != nil {
		return 0, err
	}
	s, err := l.ItemShape(int(index[0]), resource.Partial{Known: known, Dims: ask})
	return dim(s, k, err)
}

// ListLastDim is ListDim for the last element.
func ListLastDim(src []tensor.Handle, d tensor.DType, ask []int, known bool, k int) (int, error) {
	l, err := resource.TypedListOf(src, d)
	if err != nil {
		return 0, err
	}
	if l.Len() == 0 {
		_, err := l.Pop(false)
		return 0, err
	}
	s, err := l.ItemShape(l.Len()-1, resource.Partial{Known: known, Dims: ask})
	return dim(s, k, err)
}

// dim returns dimension k of the shape s, or err. The compiler has assumed a rank for s; if s has
// too few dimensions, dim returns InvalidArgument.
func dim(s []int, k int, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	if k >= len(s) {
		return 0, tensor.Errorf(tensor.InvalidArgument, "a tensor of rank %d has no dimension %d", len(s), k)
	}
	return s[k], nil
}

func listGet(dst resource.Data, src []tensor.Handle, index []int32, shape []int, d tensor.DType, ask []int, known bool) error {
	l, err := resource.TypedListOf(src, d)
	if err != nil {
		return err
	}
	return l.Get(int(index[0]), shape, resource.Partial{Known: known, Dims: ask}, dst)
}

func listPop(dst []tensor.Handle, item resource.Data, src []tensor.Handle, shape []int, d tensor.DType, ask []int, known, own bool) error {
	l, err := resource.TypedListOf(src, d)
	if err != nil {
		return err
	}
	if l.Len() > 0 {
		if err := l.Get(l.Len()-1, shape, resource.Partial{Known: known, Dims: ask}, item); err != nil {
			return err
		}
	}
	l, err = l.Pop(own)
	return give(dst, l, err)
}

// ListDrop sets dst to the list src without its last element. It checks the shape of this element as
// ListPopRaw does. It returns InvalidArgument for an empty list. See ListSetRaw for the parameter own.
func ListDrop(dst, src []tensor.Handle, d tensor.DType, ask []int, known, own bool) error {
	l, err := resource.TypedListOf(src, d)
	if err == nil && l.Len() > 0 {
		_, err = l.ItemShape(l.Len()-1, resource.Partial{Known: known, Dims: ask})
	}
	if err == nil {
		l, err = l.Pop(own)
	}
	return give(dst, l, err)
}

// ListSize returns the number of elements.
func ListSize(src []tensor.Handle) (int, error) {
	l, err := resource.ListOf(src)
	if err != nil {
		return 0, err
	}
	return l.Len(), nil
}

// ListLength stores the number of elements.
func ListLength(dst []int32, src []tensor.Handle) error {
	n, err := ListSize(src)
	dst[0] = int32(n)
	return err
}

// ListResize sets dst to src with size elements: see resource.List.Resize.
func ListResize(dst, src []tensor.Handle, size []int32, own bool) error {
	l, err := resource.ListOf(src)
	if err == nil {
		l, err = l.Resize(int(size[0]), own)
	}
	return give(dst, l, err)
}

func listShape[T int32 | int64](dst []T, src []tensor.Handle) error {
	l, err := resource.ListOf(src)
	if err != nil {
		return err
	}
	s := l.Elem.Dims
	if !l.Elem.Known {
		s = []int{-1}
	}
	if len(s) != len(dst) {
		return tensor.Errorf(tensor.InvalidArgument, "the list's element shape is %v; the program was compiled for %d dimensions", l.Elem, len(dst))
	}
	for i, d := range s {
		dst[i] = T(d)
	}
	return nil
}

// ListRows returns the number of elements of a list. If n is not -1, the list must have n elements.
// Otherwise ListRows returns InvalidArgument.
func ListRows(src []tensor.Handle, d tensor.DType, n int) (int, error) {
	l, err := resource.TypedListOf(src, d)
	if err != nil {
		return 0, err
	}
	if n >= 0 && l.Len() != n {
		return 0, tensor.Errorf(tensor.InvalidArgument, "Operation expected a list with %d elements but got a list with %d elements.", n, l.Len())
	}
	return l.Len(), nil
}

// ListWritten rejects a list that has elements if all of them are unset.
func ListWritten(src []tensor.Handle, d tensor.DType) error {
	l, err := resource.TypedListOf(src, d)
	if err != nil {
		return err
	}
	if n := l.Len(); n > 0 && !l.Written() {
		return tensor.Errorf(tensor.InvalidArgument, "none of the list's %d elements is there; TensorListConcatV2 joins such lists", n)
	}
	return nil
}

// ListStackDim returns dimension k of the shape that all elements have.
func ListStackDim(src []tensor.Handle, d tensor.DType, ask []int, known bool, k int) (int, error) {
	l, err := resource.TypedListOf(src, d)
	if err != nil {
		return 0, err
	}
	s, err := l.StackShape(resource.Partial{Known: known, Dims: ask})
	return dim(s, k, err)
}

func listStack(dst resource.Data, src []tensor.Handle, n int, shape []int, d tensor.DType, ask []int, known bool) error {
	l, err := resource.TypedListOf(src, d)
	if err != nil {
		return err
	}
	return l.Stack(n, shape, resource.Partial{Known: known, Dims: ask}, dst)
}

// ListGatherDim returns dimension k of the common shape of the elements at the given indices.
// Without indices, it uses the common shape of all elements.
func ListGatherDim(src []tensor.Handle, index []int32, d tensor.DType, ask []int, known bool, k int) (int, error) {
	if len(index) > 0 {
		return ListDim(src, index, d, ask, known, k)
	}
	return ListStackDim(src, d, ask, known, k)
}

func listGather(dst resource.Data, src []tensor.Handle, index []int32, shape []int, d tensor.DType, ask []int, known bool) error {
	l, err := resource.TypedListOf(src, d)
	if err != nil {
		return err
	}
	return l.Gather(index, shape, resource.Partial{Known: known, Dims: ask}, dst)
}

// ScatterParams are the parameters of a scatter into a new list.
type ScatterParams struct {
	// Len, of shape [1], holds the number of elements. nil or -1 means as many as needed.
	Len []int32
}

func listScatter(dst []tensor.Handle, rows resource.Data, index []int32, shape []int, d tensor.DType, elem []int, known bool, p ScatterParams) error {
	size := -1
	if len(p.Len) > 0 {
		size = int(p.Len[0])
	}
	if size < -1 {
		return tensor.Errorf(tensor.InvalidArgument, "TensorListScatter expects num_elements >= -1, found: %d", size)
	}
	l, err := resource.NewList(d, resource.Partial{Known: known, Dims: elem}, max(size, 0), -1)
	if err == nil {
		l, err = l.Scatter(index, shape, rows, size < 0)
	}
	return give(dst, l, err)
}

func listScatterInto(dst, src []tensor.Handle, rows resource.Data, index []int32, shape []int, d tensor.DType) error {
	l, err := resource.TypedListOf(src, d)
	if err == nil {
		l, err = l.Scatter(index, shape, rows, true)
	}
	return give(dst, l, err)
}

func listUnstack(dst []tensor.Handle, rows resource.Data, shape []int, d tensor.DType, elem []int, known bool) error {
	l, err := resource.Unstack(d, resource.Partial{Known: known, Dims: elem}, shape, rows)
	return give(dst, l, err)
}

func listSplit(dst []tensor.Handle, rows resource.Data, lengths []int64, shape []int, d tensor.DType, elem []int, known bool) error {
	l, err := resource.SplitRows(d, resource.Partial{Known: known, Dims: elem}, lengths, shape, rows)
	return give(dst, l, err)
}

// ListConcatDim returns dimension k of all elements joined along their first axis.
func ListConcatDim(src []tensor.Handle, leading []int64, d tensor.DType, ask []int, known bool, k int) (int, error) {
	l, err := resource.TypedListOf(src, d)
	if err != nil {
		return 0, err
	}
	s, err := l.ConcatShape(resource.Partial{Known: known, Dims: ask}, leading)
	return dim(s, k, err)
}

func listConcat(dst resource.Data, lengths []int64, src []tensor.Handle, leading []int64, d tensor.DType, ask []int, known bool) error {
	l, err := resource.TypedListOf(src, d)
	if err != nil {
		return err
	}
	return l.Concat(resource.Partial{Known: known, Dims: ask}, leading, dst, lengths)
}

// ListConcatLists sets dst[i] to a list of the elements of a[i] followed by those of b[i]. dst may
// be a or b.
func ListConcatLists(dst, a, b []tensor.Handle, d tensor.DType) error {
	for i := range dst {
		x, err := resource.TypedListOf(a[i:i+1], d)
		if err != nil {
			return err
		}
		y, err := resource.TypedListOf(b[i:i+1], d)
		if err != nil {
			return err
		}
		z, err := resource.ConcatLists(x, y)
		if err != nil {
			return err
		}
		dst[i].V = z
	}
	return nil
}

// ZerosLikeHnd sets dst[i] to the zero value of the variant src[i]: see resource.ZeroVariant. dst
// may be src.
func ZerosLikeHnd(dst, src []tensor.Handle) error {
	for i, h := range src {
		z, err := resource.ZeroVariant(h)
		if err != nil {
			return err
		}
		dst[i] = z
	}
	return nil
}

// AddHnd sets dst[i] to the sum of the variants a[i] and b[i]: see resource.AddVariants. dst may be
// a or b.
func AddHnd(dst, a, b []tensor.Handle) error {
	for i, h := range a {
		z, err := resource.AddVariants(h, b[i])
		if err != nil {
			return err
		}
		dst[i] = z
	}
	return nil
}
