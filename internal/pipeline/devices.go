package pipeline

import (
	"strings"
	"time"

	"github.com/graphc/graphc/codegen"
	"github.com/graphc/graphc/placer"
	"github.com/graphc/graphc/rt/tensor"
)

// Defaults are what an instance of the program does unless its caller says otherwise.
type Defaults struct {
	// Threads is how many a call computes with at most, InterThreads how many nodes
	// run side by side; 0: as many as the process has.
	Threads, InterThreads int
	// OwnThreads keeps the threads of the instance apart from those of others.
	OwnThreads bool
	// Pools are the threads that a call may choose for nodes, of which the first is
	// taken where it chooses none.
	Pools []Pool
	// Timeout ends a call with DeadlineExceeded; 0: never.
	Timeout time.Duration
	// MaxBytes bounds the buffers of a run; 0: as the run time does.
	MaxBytes int
}

// Emitted is d in the emitter's terms.
func (d Defaults) Emitted() codegen.Defaults {
	out := codegen.Defaults{IntraOp: d.Threads, InterOp: d.InterThreads, Timeout: d.Timeout, MaxBytes: d.MaxBytes}
	switch {
	case len(d.Pools) > 0:
		p := d.Pools[0]
		if p.Threads == 0 {
			p.Threads = d.InterThreads
		}
		out.Pool, out.InterOp = &codegen.Pool{Name: p.Name, Threads: p.Threads}, 0
	case d.OwnThreads:
		out.Pool = &codegen.Pool{Threads: d.InterThreads}
	}
	return out
}

// Pool is threads that run nodes.
type Pool struct {
	Name    string // instances of programs share what has one name; "": of the instance alone
	Threads int    // 0: as many as the process has
}

// task is the part of a device's name that is the same for all devices of a process.
const task = "/job:localhost/replica:0/task:0"

// maxDevices bounds how many devices a program may have.
const maxDevices = 256

// DeviceNames returns the full names of devices given as cpu:0, /cpu:0,
// /device:CPU:0, /job:worker/task:1/cpu:0 or in full, in the order given; none is
// cpu:0. InvalidArgument for a name that is not of that form, a device that is there
// twice, and one of a type that is not built in.
func DeviceNames(list []string) ([]string, error) {
	if len(list) == 0 {
		return []string{task + "/device:CPU:0"}, nil
	}
	if len(list) > maxDevices {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%d devices are listed, at most %d are possible", len(list), maxDevices)
	}
	set, err := placer.NewSet(list)
	if err != nil {
		return nil, err
	}
	var names []string
	for i, d := range set.Devices() {
		if d.Type != "CPU" && d.Type != "GPU" {
			return nil, tensor.Errorf(tensor.InvalidArgument, "device %s: no device of type %s is built in, there are CPU and GPU", list[i], d.Type)
		}
		names = append(names, d.FullName)
	}
	if set.Default().Type != "CPU" {
		return nil, tensor.Errorf(tensor.InvalidArgument, "a program has a CPU beside its GPUs: add cpu:0 to the devices %s", strings.Join(list, ","))
	}
	return names, nil
}

// local refuses devices of other processes, for which graphs are placed and divided,
// but no program is made.
func local(names []string) error {
	for _, n := range names {
		if !strings.HasPrefix(n, task+"/") {
			return tensor.Errorf(tensor.InvalidArgument, "device %s is another process's: a program has those of %s", n, task)
		}
	}
	return nil
}
