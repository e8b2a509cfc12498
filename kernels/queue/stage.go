package queue

import (
	"context"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// Stage waits until the staging area s has room within the limits of p. Then it appends a tuple,
// whose components are the boxes in parts.
func Stage(ctx context.Context, s, parts []tensor.Handle, p resource.StageParams) error {
	r, err := resource.StageOf(s)
	if err != nil {
		return err
	}
	t, err := resource.Tuple(parts)
	if err != nil {
		return err
	}
	return r.Put(ctx, t, p)
}

// Unstage waits for a tuple, removes it and stores its boxes in parts.
func Unstage(ctx context.Context, parts, s []tensor.Handle) error {
	r, err := resource.StageOf(s)
	if err != nil {
		return err
	}
	t, err := r.Get(ctx)
	if err != nil {
		return err
	}
	return resource.Untuple(parts, t)
}

// StagePeek waits until the staging area has a tuple at position index[0], and stores its boxes in
// parts. The tuple stays in the area.
func StagePeek(ctx context.Context, parts, s []tensor.Handle, index []int32) error {
	r, err := resource.StageOf(s)
	if err != nil {
		return err
	}
	t, err := r.Peek(ctx, int(index[0]))
	if err != nil {
		return err
	}
	return resource.Untuple(parts, t)
}

// StageSize stores in dst[0] the number of tuples without keys.
func StageSize(dst []int32, s []tensor.Handle) error { return stageLen(dst, s, 0) }

// MapSize sets dst[0] to the number of complete tuples with keys.
func MapSize(dst []int32, s []tensor.Handle) error { return stageLen(dst, s, 1) }

// MapIncompleteSize sets dst[0] to the number of incomplete tuples with keys.
func MapIncompleteSize(dst []int32, s []tensor.Handle) error { return stageLen(dst, s, 2) }

// stageLen stores in dst[0] the number of tuples of kind k: 0 without keys, 1 complete with keys, 2
// incomplete with keys.
func stageLen(dst []int32, s []tensor.Handle, k int) error {
	r, err := resource.StageOf(s)
	if err != nil {
		return err
	}
	var n [3]int
	n[0], n[1], n[2] = r.Len()
	dst[0] = int32(n[k])
	return nil
}

// StageClear removes all tuples.
func StageClear(s []tensor.Handle) error {
	r, err := resource.StageOf(s)
	if err != nil {
		return err
	}
	r.Clear()
	return nil
}

// MapStage stores some components of the tuple whose key is key[0]. A complete tuple has n
// components. parts holds the boxes of the components to store, and indices holds their numbers in
// the tuple. If the staging area is full according to the limits in p, MapStage waits first.
func MapStage(ctx context.Context, s []tensor.Handle, key []int64, indices []int32, parts []tensor.Handle, n int, p resource.StageParams) error {
	r, err := resource.StageOf(s)
	if err != nil {
		return err
	}
	t, err := resource.Tuple(parts)
	if err != nil {
		return err
	}
	return r.PutKey(ctx, key[0], indices, t, n, p)
}

// MapUnstage waits until the tuple whose key is key[0] is complete. Then it takes the components whose
// numbers are the elements of indices, and stores them in parts. If peek is not set, it also removes
// these components from the tuple.
func MapUnstage(ctx context.Context, parts, s []tensor.Handle, key []int64, indices []int32, peek bool) error {
	r, err := resource.StageOf(s)
	if err != nil {
		return err
	}
	t, err := r.GetKey(ctx, key[0], indices, peek)
	if err != nil {
		return err
	}
	return resource.Untuple(parts, t)
}

// MapUnstageNoKey waits for a complete tuple, takes the one with the smallest key, and stores its
// key in key[0]. The other arguments are as in MapUnstage.
func MapUnstageNoKey(ctx context.Context, key []int64, parts, s []tensor.Handle, indices []int32) error {
	r, err := resource.StageOf(s)
	if err != nil {
		return err
	}
	k, t, err := r.GetAny(ctx, indices)
	if err != nil {
		return err
	}
	key[0] = k
	return resource.Untuple(parts, t)
}
