package pipeline

import (
	"strings"
	"time"

	"github.com/graphc/graphc/codegen"
	"github.com/graphc/graphc/placer"
	"github.com/graphc/graphc/rt/tensor"
)

// Defaults are the settings of an instance that its caller does not override.
type Defaults struct {
	// Threads bounds the threads that compute one call; InterThreads bounds the nodes that run in
	// parallel. 0 means as many as the process has.
	Threads, InterThreads int
	// OwnThreads gives the instance its own threads instead of the process's.
	OwnThreads bool
	// Pools are the thread pools that a call may choose for its nodes; the default is the first.
	Pools []Pool
	// Timeout ends a call with DeadlineExceeded; 0 means no limit.
	Timeout time.Duration
	// MaxBytes bounds the buffers of a run; 0 means the default of the run time.
	MaxBytes int
}

// Emitted converts d to the emitter's type.
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

// Pool is a named group of threads that run nodes.
type Pool struct {
	Name    string // programs share a pool that has a name; "": used by one instance only
	Threads int    // 0: as many as the process has
}

// task is the part of a device's name that is the same for all devices of a process.
const task = "/job:localhost/replica:0/task:0"

// maxDevices bounds the devices of a program.
const maxDevices = 256

// DeviceNames returns the full names of devices given as cpu:0, /cpu:0, /device:CPU:0,
// /job:worker/task:1/cpu:0 or in full, in the given order. The default is cpu:0. A malformed name,
// a device listed twice and an unsupported device type are InvalidArgument.
func DeviceNames(list []string) ([]string, error) {
	if len(list) == 0 {
		return []string{task + "/device:CPU:0"}, nil
	}
	if len(list) > maxDevices {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%d devices are listed: the maximum is %d", len(list), maxDevices)
	}
	set, err := placer.NewSet(list)
	if err != nil {
		return nil, err
	}
	var names []string
	for i, d := range set.Devices() {
		if d.Type != "CPU" && d.Type != "GPU" {
			return nil, tensor.Errorf(tensor.InvalidArgument, "device %s: unsupported type %s: want CPU or GPU", list[i], d.Type)
		}
		names = append(names, d.FullName)
	}
	if set.Default().Type != "CPU" {
		return nil, tensor.Errorf(tensor.InvalidArgument, "a program with GPUs needs a CPU, too: add cpu:0 to the devices %s", strings.Join(list, ","))
	}
	return names, nil
}

// local returns an error for devices of other processes. The compiler can place and partition
// graphs for such devices, but a program cannot contain them.
func local(names []string) error {
	for _, n := range names {
		if !strings.HasPrefix(n, task+"/") {
			return tensor.Errorf(tensor.InvalidArgument, "device %s belongs to another process: a program can use those of %s only", n, task)
		}
	}
	return nil
}
