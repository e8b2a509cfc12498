package state

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/kernels/mutex"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// mutexDefs describes the ops of mutexes. MutexLock locks a mutex for the run; ConsumeMutexLock
// unlocks it, and so does the end of the run. If a run is blocked because another run has locked
// the mutex, it fails when its context is done.
var mutexDefs = []*lower.Def{
	{Name: "MutexV2", Level: lower.Source, Flags: kit.Looks, Shape: HandleShape, Lower: mutexLower},
	{Name: "MutexLock", Flags: kit.Changes, Shape: mutexLockShape, Lower: mutexLockLower},
	{Name: "ConsumeMutexLock", Flags: kit.Changes, Shape: consumeShape, Lower: consumeLower},
}

func mutexLower(b *lower.Builder) error {
	b.Object(0, kit.ResourceKey(b.Node, "mutex", false), resource.NewMutex, ResourceName(b.Node))
	return nil
}

// mutexLockShape infers the shape of the output of MutexLock(mutex): the lock, which is a scalar
// variant.
func mutexLockShape(c *lower.Shaper) error {
	c.Set(0, tensor.Variant, ir.ShapeOf())
	return c.ScalarOr(0, "the mutex")
}

func mutexLockLower(b *lower.Builder) error {
	if b.OutUsed(0) {
		b.Call(mutex.Lock, plan.Context{}, b.Out(0), b.In(0))
	} else {
		b.Call(mutex.Pass, plan.Context{}, b.In(0))
	}
	return nil
}

// consumeShape is the shape function of ConsumeMutexLock(lock), which unlocks the mutex and has no
// outputs.
func consumeShape(c *lower.Shaper) error { return c.ScalarOr(0, "the lock") }

func consumeLower(b *lower.Builder) error {
	b.Call(mutex.Consume, b.In(0))
	return nil
}
