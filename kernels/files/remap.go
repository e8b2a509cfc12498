package files

import (
	"io"
	"os"
	"strings"

	"github.com/graphc/graphc/rt/bundle"
	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Raw fills dst with the first bytes of a file. It returns InvalidArgument if the file is shorter.
// If truth is set, each byte becomes 0 or 1.
func Raw(dst []byte, root *os.Root, name string, truth bool) error {
	f, size, err := files.Open(root, name)
	if err != nil {
		return err
	}
	defer f.Close()
	if size < int64(len(dst)) {
		return tensor.Errorf(tensor.InvalidArgument, "%q has %d bytes, the tensor takes %d", name, size, len(dst))
	}
	if _, err := io.ReadFull(f, dst); err != nil {
		return files.Error(err)
	}
	if truth {
		for i, v := range dst {
			dst[i] = min(v, 1)
		}
	}
	return nil
}

const (
	entryBytes = 56 // about how many bytes of memory a map entry needs
	entryWork  = 100
)

// VocabParams are the attributes of GenerateVocabRemapping.
type VocabParams struct {
	Offset  int // the first line of the new vocabulary that is used
	OldSize int // number of lines of the old vocabulary that are used; -1 for all
}

// lines returns the lines of a vocabulary, without line ends.
func lines(call *mem.Call, root *os.Root, name, what string) ([]string, error) {
	if name == "" {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%s vocab filename cannot be empty.", what)
	}
	text, err := read(call.Budget(), root, name)
	if err != nil {
		return nil, err
	}
	call.Need(2 * len(text))
	text = strings.ReplaceAll(text, "\r", "")
	call.Need(tensor.String.Size() * (1 + strings.Count(text, "\n")))
	l := strings.Split(text, "\n")
	if l[len(l)-1] == "" {
		l = l[:len(l)-1]
	}
	for i, s := range l {
		if s == "" {
			return nil, tensor.Errorf(tensor.InvalidArgument, "Invalid content in %s: empty line found at position %d.", name, i)
		}
	}
	return l, nil
}

// RemapVocab looks up line Offset+i of newFile[0] in oldFile[0], for every i. It stores the number
// of the equal line in remapping[i], or -1 if oldFile[0] has no such line. It stores in present[0]
// how many lines it has found. It returns InvalidArgument for files with too few lines, and
// FailedPrecondition for a repeated line in the old file.
func RemapVocab(run *mem.Budget, remapping []int64, present []int32, root *os.Root, newFile, oldFile []string, p VocabParams) error {
	call := run.Call()
	defer call.Free()
	after, err := lines(&call, root, newFile[0], "new")
	if err != nil {
		return err
	}
	if len(after)-p.Offset < len(remapping) {
		return tensor.Errorf(tensor.InvalidArgument, "lookup table size must be at least last new vocab entry's line: %q has %d lines, %d are required", newFile[0], len(after), p.Offset+len(remapping))
	}
	before, err := lines(&call, root, oldFile[0], "old")
	if err != nil {
		return err
	}
	if p.OldSize >= 0 {
		if len(before) < p.OldSize {
			return tensor.Errorf(tensor.InvalidArgument, "Invalid vocab_size in %s: expected %d but got %d", oldFile[0], p.OldSize, len(before))
		}
		before = before[:p.OldSize]
	}
	call.Need(mem.Mul(entryBytes, len(before)))
	at := make(map[string]int64, len(before))
	for i, s := range before {
		call.Work(entryWork)
		if _, twice := at[s]; twice {
			return tensor.Errorf(tensor.FailedPrecondition, "%q: %q occurs twice", oldFile[0], s)
		}
		at[s] = int64(i)
	}
	n := int32(0)
	for i := range remapping {
		call.Work(entryWork)
		k, ok := at[after[p.Offset+i]]
		if !ok {
			k = -1
		} else {
			n++
		}
		remapping[i] = k
	}
	present[0] = n
	return nil
}

// MatrixParams are the attributes of LoadAndRemapMatrix.
type MatrixParams struct{ Rows, Cols int }

// RemapMatrix loads the matrix name[0] from the checkpoint path[0]. It sets dst[i,j] to the
// matrix's element at row rowIDs[i] and column colIDs[j]. An empty colIDs means all columns. If the
// row or the column is -1, dst[i,j] is the next value of initial. RemapMatrix returns
// InvalidArgument if the tensor is not a float matrix, for an ID out of range, and if initial has
// too few or too many values. It returns Unimplemented for a repeated ID.
func RemapMatrix(run *mem.Budget, dst []float32, root *os.Root, path, name []string, rowIDs, colIDs []int64, initial []float32, p MatrixParams) error {
	if len(rowIDs) != p.Rows {
		return tensor.Errorf(tensor.InvalidArgument, "Size of row_remapping tensor must be num_rows: %d, not %d", p.Rows, len(rowIDs))
	}
	if len(colIDs) != 0 && len(colIDs) != p.Cols {
		return tensor.Errorf(tensor.InvalidArgument, "Size of col_remapping tensor must be num_cols: %d, not %d", p.Cols, len(colIDs))
	}
	call := run.Call()
	defer call.Free()
	if err := once(&call, rowIDs); err != nil {
		return err
	}
	if err := once(&call, colIDs); err != nil {
		return err
	}
	local, err := files.Local(root, path[0])
	if err != nil {
		return err
	}
	return bundle.View(root, local, func(r *bundle.Reader) error {
		return remap(&call, dst, r, path, name, rowIDs, colIDs, initial, p)
	})
}

func remap(call *mem.Call, dst []float32, r *bundle.Reader, path, name []string, rowIDs, colIDs []int64, initial []float32, p MatrixParams) error {
	e, ok := r.Entry(name[0])
	switch {
	case !ok:
		return tensor.Errorf(tensor.NotFound, "Unable to find %q in checkpoint %s", name[0], path[0])
	case e.DType != tensor.Float32:
		return tensor.Errorf(tensor.InvalidArgument, "Tensor %s has invalid type %v instead of expected type float", name[0], e.DType)
	case len(e.Shape) != 2:
		return tensor.Errorf(tensor.InvalidArgument, "Tensor %s has shape %v, which is not of rank 2", name[0], e.Shape)
	case len(colIDs) == 0 && e.Shape[1] != p.Cols:
		return tensor.Errorf(tensor.InvalidArgument, "Tensor %s has %d columns, num_cols is %d", name[0], e.Shape[1], p.Cols)
	}
	if err := within(rowIDs, e.Shape[0], "row"); err != nil {
		return err
	}
	if err := within(colIDs, e.Shape[1], "column"); err != nil {
		return err
	}
	call.Need(mem.Mul(mem.Len(e.Shape...), e.DType.Size()))
	t, err := r.Read(name[0])
	if err != nil {
		return err
	}
	old := tensor.Data[float32](t)
	used := 0
	for i, from := range rowIDs {
		call.Work(4 * p.Cols)
		for j := range p.Cols {
			col := int64(j)
			if len(colIDs) > 0 {
				col = colIDs[j]
			}
			if from >= 0 && col >= 0 {
				dst[i*p.Cols+j] = old[from*int64(e.Shape[1])+col]
				continue
			}
			if used >= len(initial) {
				return tensor.Errorf(tensor.InvalidArgument, "initializing_values contained %d elements, but more missing elements remain.", len(initial))
			}
			dst[i*p.Cols+j] = initial[used]
			used++
		}
	}
	if used != len(initial) {
		return tensor.Errorf(tensor.InvalidArgument, "initializing_values contained %d elements, but only %d elements were used to fill in missing values.", len(initial), used)
	}
	return nil
}

// once rejects repeated IDs; negative IDs may be repeated.
func once(call *mem.Call, ids []int64) error {
	mark := call.Mark()
	defer call.Release(mark)
	call.Need(mem.Mul(entryBytes, len(ids)))
	seen := make(map[int64]int, len(ids))
	for i, id := range ids {
		call.Work(entryWork)
		if id < 0 {
			continue
		}
		if k, twice := seen[id]; twice {
			return tensor.Errorf(tensor.Unimplemented, "Old ID %d is mapped to both new ID %d and %d, which is not currently supported.", id, k, i)
		}
		seen[id] = i
	}
	return nil
}

func within(ids []int64, n int, what string) error {
	for _, id := range ids {
		if id >= int64(n) {
			return tensor.Errorf(tensor.InvalidArgument, "%s %d is asked for, the tensor has %d", what, id, n)
		}
	}
	return nil
}
