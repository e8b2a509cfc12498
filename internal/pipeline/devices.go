package pipeline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

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
}

// Pool is threads that run nodes.
type Pool struct {
	Name    string // instances of programs share what has one name; "": of the instance alone
	Threads int    // 0: as many as the process has
}

// Task is the part of a device's name that is the same for all devices of a program.
const Task = "/job:localhost/replica:0/task:0"

// maxDevices bounds how many devices a program may have.
const maxDevices = 256

// DeviceNames returns the full names of devices given as cpu:0, /cpu:0,
// device:CPU:0 or in full, in the order given; none is cpu:0. A name that is not of
// that form, a device given twice or of another task, or one of a type that is not
// built in is InvalidArgument.
func DeviceNames(list []string) ([]string, error) {
	if len(list) == 0 {
		return []string{Task + "/device:CPU:0"}, nil
	}
	if len(list) > maxDevices {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%d devices are listed, at most %d are possible", len(list), maxDevices)
	}
	var names []string
	for _, d := range list {
		short := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(d, Task), "/"), "device:")
		kind, number, ok := strings.Cut(short, ":")
		id, err := strconv.Atoi(number)
		if !ok || kind == "" || err != nil || id < 0 || strconv.Itoa(id) != number || strings.ContainsAny(kind, "/ ") {
			return nil, tensor.Errorf(tensor.InvalidArgument, "%q is no device: want one such as cpu:0 or %s/device:CPU:0", d, Task)
		}
		if kind = strings.ToUpper(kind); kind != "CPU" {
			return nil, tensor.Errorf(tensor.InvalidArgument, "device %s: no device of type %s is built in, there is CPU", d, kind)
		}
		name := fmt.Sprintf("%s/device:%s:%d", Task, kind, id)
		if slices.Contains(names, name) {
			return nil, tensor.Errorf(tensor.InvalidArgument, "device %s is listed twice", d)
		}
		names = append(names, name)
	}
	return names, nil
}
