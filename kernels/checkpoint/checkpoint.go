// Package checkpoint holds the kernels that save tensors to files and restore them. They
// access only files below the directory that the program's caller has opened: see
// rt.WithFiles.
package checkpoint

import (
	"os"
	"path/filepath"

	"github.com/graphc/graphc/rt/bundle"
	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// one returns the only element of s, which is the name of a checkpoint. It returns an error unless s has
// exactly one element.
func one(what string, s []string) (string, error) {
	if len(s) != 1 {
		return "", tensor.Errorf(tensor.InvalidArgument, "%s should have a single element, it has %d", what, len(s))
	}
	return s[0], nil
}

// specs reads the names and the shape_and_slice specifications of n tensors.
func specs(n int, names, slices []string) ([]*bundle.Spec, error) {
	if len(names) != n || len(slices) != n {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%d tensors with %d names and %d shape_and_slice specifications", n, len(names), len(slices))
	}
	out := make([]*bundle.Spec, n)
	for i, s := range slices {
		if s == "" {
			continue
		}
		var err error
		if out[i], err = bundle.ParseSpec(s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Save writes tensors to the checkpoint prefix[0]. The slice parts holds the tensors as handles of
// resource.Box. Tensor i gets the name names[i]. If slices[i] is not "", the tensor is the slice of a
// larger tensor that slices[i] specifies. Save writes either all tensors or nothing. It returns
// InvalidArgument if a name is repeated, and if the shapes of a slice and its tensor differ.
func Save(root *os.Root, prefix, names, slices []string, parts []tensor.Handle) error {
	to, err := one("prefix", prefix)
	if err != nil {
		return err
	}
	ps, err := specs(len(parts), names, slices)
	if err != nil {
		return err
	}
	boxes, err := resource.Tuple(parts)
	if err != nil {
		return err
	}
	if to, err = files.Local(root, to); err != nil {
		return err
	}
	w, err := bundle.Create(root, to)
	if err != nil {
		return err
	}
	defer w.Abort()
	for i, b := range boxes {
		t := &tensor.Tensor{DType: b.DType, Shape: b.Shape, Data: b.Data}
		if err := w.Add(bundle.Named{Key: names[i], Tensor: t, Spec: ps[i]}); err != nil {
			return err
		}
	}
	return w.Close()
}

// Load reads the tensors with the given names from the checkpoint prefix[0]. If slices[i] is not
// "", it reads only the slice that slices[i] specifies. It stores each tensor in dst, as the handle
// of a resource.Box. It returns NotFound if a tensor is missing, and InvalidArgument if a tensor's
// type differs from types[i].
func Load(run *mem.Budget, dst []tensor.Handle, root *os.Root, prefix, names, slices []string, types []int) error {
	from, err := one("prefix", prefix)
	if err != nil {
		return err
	}
	ps, err := specs(len(dst), names, slices)
	if err != nil {
		return err
	}
	if from, err = files.Local(root, from); err != nil {
		return err
	}
	return bundle.View(root, from, func(r *bundle.Reader) error {
		return load(run, dst, r, prefix[0], names, ps, types)
	})
}

func load(run *mem.Budget, dst []tensor.Handle, r *bundle.Reader, prefix string, names []string, ps []*bundle.Spec, types []int) (err error) {
	for i, name := range names {
		e, ok := r.Entry(name)
		if want := tensor.DType(types[i]); ok && e.DType != want {
			return tensor.Errorf(tensor.InvalidArgument, "checkpoint %s: %q is %v%v, %v is asked for", prefix, name, e.DType, e.Shape, want)
		}
		if err := run.Err(); err != nil {
			return err
		}
		if ok && ps[i] == nil { // the size of a slice is known only after it is read
			if err := run.Make(mem.Mul(mem.Len(e.Shape...), e.DType.Size())); err != nil {
				return err
			}
		}
		var t *tensor.Tensor
		if ps[i] == nil {
			t, err = r.Read(name)
		} else {
			if t, err = r.ReadSlice(name, ps[i]); err == nil {
				err = run.Make(mem.Mul(mem.Len(t.Shape...), t.DType.Size()))
			}
		}
		if err != nil {
			return err
		}
		dst[i] = tensor.Handle{V: &resource.Box{DType: t.DType, Shape: t.Shape, Data: t.Data}}
	}
	return nil
}

// MergeParams are the attributes of MergeV2Checkpoints.
type MergeParams struct {
	DeleteDirs   bool // whether to remove the merged checkpoints' directories if they are empty
	AllowMissing bool // whether to skip missing checkpoints; at least one must exist
}

// Merge merges several checkpoints into the checkpoint to[0]. The slice prefixes holds their names. See
// bundle.Merge.
func Merge(root *os.Root, prefixes, to []string, p MergeParams) error {
	dst, err := one("destination_prefix", to)
	if err != nil {
		return err
	}
	if dst, err = files.Local(root, dst); err != nil {
		return err
	}
	from := make([]string, len(prefixes))
	for i, s := range prefixes {
		if from[i], err = files.Local(root, s); err != nil {
			return err
		}
	}
	if err := bundle.Merge(root, from, dst, p.AllowMissing); err != nil {
		return err
	}
	if p.DeleteDirs {
		for _, s := range from {
			if dir := filepath.Dir(s); dir != filepath.Dir(dst) && dir != "." {
				_ = root.Remove(dir) // fails if the directory is not empty
			}
		}
	}
	return nil
}
