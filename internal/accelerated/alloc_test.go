//go:build emitted

package accelerated

import (
	"testing"
	"time"

	"github.com/graphc/graphc/internal/accelerated/model"
	"github.com/graphc/graphc/internal/accelerated/pair"
	"github.com/graphc/graphc/internal/accelerated/train"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/parts"
	"github.com/graphc/graphc/rt/tensor"
)

// inert is a device that does nothing and does not allocate.
type inert struct {
	device.Account
	name string
	next device.Ptr
}

func newInert(i int) *inert {
	d := &inert{name: device.Full("GPU", i), next: 1 << 30}
	d.SetLimit(1 << 40)
	return d
}

type inertMemory struct {
	at device.Ptr
	n  int
}

func (m *inertMemory) Size() int        { return m.n }
func (m *inertMemory) Addr() device.Ptr { return m.at }
func (m *inertMemory) Host() []byte     { return nil }
func (m *inertMemory) Free() error      { return nil }

func (d *inert) Name() string { return d.name }
func (d *inert) Type() string { return "GPU" }
func (d *inert) Attributes() device.Attributes {
	return device.Attributes{Name: d.name, Type: "GPU", Incarnation: 1, Processors: 1}
}
func (d *inert) Alloc(n int) (device.Memory, error) {
	d.next += 1 << 30
	return &inertMemory{d.next, n}, nil
}
func (d *inert) AllocHost(n int) ([]byte, error)   { return make([]byte, n), nil }
func (d *inert) Run(f func() error) error          { return f() }
func (d *inert) NewStream() (device.Stream, error) { return inertStream{}, nil }
func (d *inert) NewEvent() (device.Event, error)   { return inertEvent{}, nil }
func (d *inert) Reaches(device.Memory) bool        { return true }
func (d *inert) Prepare(...*device.Kernel) error   { return nil }
func (d *inert) Sync() error                       { return nil }
func (d *inert) Err() error                        { return nil }

type inertStream struct{}

func (inertStream) Launch(device.Work) error                                   { return nil }
func (inertStream) CopyIn(device.Memory, int, []byte) error                    { return nil }
func (inertStream) CopyOut([]byte, device.Memory, int) error                   { return nil }
func (inertStream) CopyPeer(device.Memory, int, device.Memory, int, int) error { return nil }
func (inertStream) Record(device.Event) error                                  { return nil }
func (inertStream) Wait(device.Event) error                                    { return nil }
func (inertStream) Sync() error                                                { return nil }
func (inertStream) Capture(f func() error) (device.Work, error)                { return device.Func(nil), f() }
func (inertStream) Err() error                                                 { return nil }
func (inertStream) Reset()                                                     {}
func (inertStream) Close() error                                               { return nil }

type inertEvent struct{}

func (inertEvent) Done() (bool, error)                       { return true, nil }
func (inertEvent) Wait() error                               { return nil }
func (inertEvent) Then(f func(error))                        { f(nil) }
func (inertEvent) Since(device.Event) (time.Duration, error) { return 0, nil }
func (inertEvent) Close() error                              { return nil }

// TestSteady: a run with the sizes of the previous run allocates nothing, apart from allocations of
// the device itself.
func TestSteady(t *testing.T) {
	m, err := model.New(parts.WithDevices(newInert(0)))
	if err != nil {
		t.Fatal(err)
	}
	two, err := pair.New(parts.WithDevices(newInert(0), newInert(1)))
	if err != nil {
		t.Fatal(err)
	}
	tr, err := train.New(parts.WithDevices(newInert(0)))
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	q, n := vector[float32](1, 2, -3), tensor.Of[int32]{Data: []int32{4}}
	x, p := rows(4, 16), vector[float32](1, 2, 3, 4)
	inDense := model.DenseInput{X: x}
	inHop := model.HopInput{P: p}
	inLoop := model.LoopInput{Q: q, N: n}
	inFar := model.FarInput{Q: q, N: n}
	inCount := model.CountInput{Q: q}
	inAcross := pair.AcrossInput{P: p}
	inRally := pair.RallyInput{Q: q, N: n}
	var inStep train.StepInput
	inStep.X, inStep.T = batch(4)
	inLoss := train.LossInput(inStep)
	var dense model.DenseOutput
	var hop model.HopOutput
	var loop model.LoopOutput
	var far model.FarOutput
	var count model.CountOutput
	var across pair.AcrossOutput
	var rally pair.RallyOutput
	var step train.StepOutput
	var loss train.LossOutput
	for name, run := range map[string]func() error{
		"dense":  func() error { return m.DenseInto(ctx, &inDense, &dense) },
		"hop":    func() error { return m.HopInto(ctx, &inHop, &hop) },
		"loop":   func() error { return m.LoopInto(ctx, &inLoop, &loop) },
		"far":    func() error { return m.FarInto(ctx, &inFar, &far) },
		"count":  func() error { return m.CountInto(ctx, &inCount, &count) },
		"across": func() error { return two.AcrossInto(ctx, &inAcross, &across) },
		"rally":  func() error { return two.RallyInto(ctx, &inRally, &rally) },
		"train":  func() error { return tr.StepInto(ctx, &inStep, &step) },
		"loss":   func() error { return tr.LossInto(ctx, &inLoss, &loss) },
	} {
		for range 5 {
			if err := run(); err != nil {
				t.Fatal(err)
			}
		}
		if got := testing.AllocsPerRun(50, func() {
			if err := run(); err != nil {
				t.Fatal(err)
			}
		}); got >= 1 {
			t.Errorf("%s allocates %v times", name, got)
		}
	}
}
