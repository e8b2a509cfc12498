package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/kernels/mutex"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// mutexDefs are mutexes. A run holds one from MutexLock to ConsumeMutexLock, or to
// its end. What waits for one ends with the run's context.
var mutexDefs = []*Def{
	{Name: "MutexV2", Level: Source, Flags: looks, Shape: handleShape, Lower: mutexLower},
	{Name: "MutexLock", Flags: changes, Shape: mutexLockShape, Lower: mutexLockLower},
	{Name: "ConsumeMutexLock", Flags: changes, Shape: consumeShape, Lower: consumeLower},
}

func mutexLower(b *Builder) error {
	b.Object(0, resourceKey(b.Node, "mutex", false), resource.NewMutex, resourceName(b.Node))
	return nil
}

// mutexLockShape: MutexLock(mutex): the lock, a variant.
func mutexLockShape(c *Shaper) error {
	c.Set(0, tensor.Variant, ir.ShapeOf())
	return c.scalarOr(0, "the mutex")
}

func mutexLockLower(b *Builder) error {
	if b.OutUsed(0) {
		b.Call(mutex.Lock, plan.Context{}, b.Out(0), b.In(0))
	} else {
		b.Call(mutex.Pass, plan.Context{}, b.In(0))
	}
	return nil
}

// consumeShape: ConsumeMutexLock(lock) lets go of the mutex.
func consumeShape(c *Shaper) error { return c.scalarOr(0, "the lock") }

func consumeLower(b *Builder) error {
	b.Call(mutex.Consume, b.In(0))
	return nil
}
