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
	// Threads is the maximum number of threads that compute one call. InterThreads is the maximum
	// number of nodes that run in parallel. 0 means the number of threads of the process.
	Threads, InterThreads int
	// If OwnThreads is set, the instance starts threads instead of using those that all instances
	// in the process share.
	OwnThreads bool
	// Pools are the thread pools that can run the nodes of a call. A call uses the first pool
	// unless it selects another one.
	Pools []Pool
	// Timeout ends a call with DeadlineExceeded; 0 means no limit.
	Timeout time.Duration
	// MaxBytes is the maximum size in bytes of the buffers of a run. 0 means the default of package
	// rt.
	MaxBytes int
}

// Emitted converts d to the corresponding type of package codegen.
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
	// Instances with pools of the same name share one pool. A pool whose name is "" belongs to one
	// instance.
	Name    string
	Threads int // number of threads; 0 means the number of threads of the process
}

// task is the part of a device's name that is the same for all devices of a process.
const task = "/job:localhost/replica:0/task:0"

// maxDevices is the maximum number of devices of a program.
const maxDevices = 256

// DeviceNames returns the full names of the listed devices, in the same order. A device may be
// given as cpu:0, /cpu:0, /device:CPU:0 or /job:worker/task:1/cpu:0, or by its full name. If the
// list is empty, the result is the full name of cpu:0. The error is InvalidArgument if a name is
// malformed, a device is listed twice, a type is not supported or no CPU is listed.
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
