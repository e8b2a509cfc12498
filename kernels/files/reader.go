package files

import (
	"context"
	"os"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

func both(reader, queue []tensor.Handle) (*resource.Reader, *resource.Queue, error) {
	r, err := resource.ReaderOf(reader)
	if err != nil {
		return nil, nil, err
	}
	q, err := resource.QueueOf(queue)
	return r, q, err
}

// ReadRecord stores the reader's next record in key[0] and value[0]; see
// resource.Reader.Read.
func ReadRecord(run *mem.Budget, key, value []string, ctx context.Context, root *os.Root, reader, queue []tensor.Handle) error {
	r, q, err := both(reader, queue)
	if err != nil {
		return err
	}
	rec, err := r.Read(run, ctx, root, q)
	key[0], value[0] = rec.Key, rec.Value
	return err
}

// ReadRecords reads up to n[0] records and stores them as a list in found[0]. It returns their
// number: see resource.Reader.ReadUpTo.
func ReadRecords(run *mem.Budget, found []tensor.Handle, ctx context.Context, root *os.Root, reader, queue []tensor.Handle, n []int64) (int, error) {
	r, q, err := both(reader, queue)
	if err != nil {
		return 0, err
	}
	l, err := r.ReadUpTo(run, ctx, root, q, n[0])
	found[0] = tensor.Handle{V: l}
	return len(l), err
}

// Records copies the records that ReadRecords stored in found[0].
func Records(keys, values []string, found []tensor.Handle) {
	l, _ := found[0].V.([]resource.Record)
	for i, rec := range l {
		keys[i], values[i] = rec.Key, rec.Value
	}
}

// Produced stores in dst[0] how many records the reader has produced.
func Produced(dst []int64, ctx context.Context, reader []tensor.Handle) error {
	r, err := resource.ReaderOf(reader)
	if err != nil {
		return err
	}
	dst[0], _, err = r.Counts(ctx)
	return err
}

// Completed stores in dst[0] how many files the reader has read to their end.
func Completed(dst []int64, ctx context.Context, reader []tensor.Handle) error {
	r, err := resource.ReaderOf(reader)
	if err != nil {
		return err
	}
	_, dst[0], err = r.Counts(ctx)
	return err
}

// ResetReader returns the reader to its initial state.
func ResetReader(ctx context.Context, reader []tensor.Handle) error {
	r, err := resource.ReaderOf(reader)
	if err != nil {
		return err
	}
	return r.Reset(ctx)
}

// ReaderState stores the reader's state in dst[0]; see resource.Reader.State.
func ReaderState(dst []string, ctx context.Context, reader []tensor.Handle) error {
	r, err := resource.ReaderOf(reader)
	if err != nil {
		return err
	}
	dst[0], err = r.State(ctx)
	return err
}

// RestoreReader sets the reader's state to state[0]: see resource.Reader.Restore.
func RestoreReader(ctx context.Context, reader []tensor.Handle, state []string) error {
	r, err := resource.ReaderOf(reader)
	if err != nil {
		return err
	}
	return r.Restore(ctx, state[0])
}
