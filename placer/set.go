package placer

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// Device is a device of the program.
type Device struct {
	Name        Name   // full
	FullName    string // Name as text: /job:J/replica:R/task:T/device:TYPE:ID
	Type        string // CPU, GPU, COMPOSITE, …
	Incarnation uint64 // for rendezvous keys: a hash of the name, never 0
}

// Set is the set of devices to place nodes on.
type Set struct {
	devices []*Device
	byName  map[string]*Device
	types   []string // the devices' types without duplicates, in the order of the devices
}

// maxDevices is the size of the largest set.
const maxDevices = 4096

// NewSet makes a set of devices from names such as cpu:0, CPU:0, /cpu:0, /device:GPU:1,
// /job:worker/task:1/cpu:0, or full names. A missing job, replica or task defaults to localhost, 0
// and 0. cpu and gpu become CPU and GPU; other types are kept as written. The error is
// InvalidArgument for a name without type or number, for a duplicate, and for more than 4096
// devices. Place rejects an empty set.
func NewSet(devices []string) (*Set, error) {
	if len(devices) > maxDevices {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%d devices; at most %d are accepted", len(devices), maxDevices)
	}
	s := &Set{byName: make(map[string]*Device, len(devices))}
	for _, name := range devices {
		d, err := newDevice(name)
		if err != nil {
			return nil, err
		}
		if s.byName[d.FullName] != nil {
			return nil, tensor.Errorf(tensor.InvalidArgument, "device %q is listed twice: %s", tensor.Clip(name), d.FullName)
		}
		s.byName[d.FullName] = d
		s.devices = append(s.devices, d)
		if !slices.Contains(s.types, d.Type) {
			s.types = append(s.types, d.Type)
		}
	}
	return s, nil
}

func newDevice(s string) (*Device, error) {
	full := strings.TrimSpace(s)
	if full != "" && full[0] != '/' {
		full = "/device:" + full
	}
	n, err := ParseName(full)
	if err != nil || !n.HasType || !n.HasID {
		return nil, tensor.Errorf(tensor.InvalidArgument,
			"%q is not a device name; use cpu:0, /device:CPU:0 or /job:worker/replica:0/task:1/device:CPU:0", tensor.Clip(s))
	}
	if !n.HasJob {
		n.Job, n.HasJob = "localhost", true
	}
	n.HasReplica, n.HasTask = true, true
	if n.Type == "cpu" || n.Type == "gpu" {
		n.Type = strings.ToUpper(n.Type)
	}
	d := &Device{Name: n, FullName: n.String(), Type: n.Type}
	h := fnv.New64a()
	fmt.Fprint(h, d.FullName)
	d.Incarnation = max(h.Sum64(), 1)
	return d, nil
}

// Devices returns the devices in the given order.
func (s *Set) Devices() []*Device { return s.devices }

// Default returns the device of the caller's feeds and fetches: the first CPU, or the first device
// if the set has no CPU. It is nil for an empty set.
func (s *Set) Default() *Device {
	for _, d := range s.devices {
		if d.Type == "CPU" {
			return d
		}
	}
	if len(s.devices) == 0 {
		return nil
	}
	return s.devices[0]
}

// Find returns the device with a full name, in any spelling; nil for an unknown name.
func (s *Set) Find(name string) *Device {
	if d := s.byName[name]; d != nil {
		return d
	}
	n, err := ParseName(name)
	if err != nil || !n.Full() {
		return nil
	}
	return s.byName[n.String()]
}

// Matching returns the devices that have every part of a partial name, in the given order.
func (s *Set) Matching(n Name) []*Device {
	var l []*Device
	for _, d := range s.devices {
		if compatible(&n, &d.Name) {
			l = append(l, d)
		}
	}
	return l
}

// names lists the first 20 devices by name, for a message.
func (s *Set) names() string {
	l := make([]string, len(s.devices))
	for i, d := range s.devices {
		l[i] = d.FullName
	}
	slices.Sort(l)
	return list(l, 20)
}

// list joins the first n elements of l with commas, and adds how many elements are left out.
func list(l []string, n int) string {
	if len(l) > n {
		return strings.Join(l[:n], ", ") + fmt.Sprintf(" and %d more", len(l)-n)
	}
	return strings.Join(l, ", ")
}
