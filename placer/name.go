package placer

import (
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// Name is a full or partial device name: /job:J/replica:R/task:T/device:TYPE:ID. If the Has field of
// a part is false, the part is missing or is written as *. Names are comparable.
type Name struct {
	Job           string
	Replica, Task int
	Type          string
	ID            int
	HasJob        bool
	HasReplica    bool
	HasTask       bool
	HasType       bool
	HasID         bool
}

// maxName is the length of the longest accepted device name.
const maxName = 1 << 12

// ParseName parses a device name. Any part may be missing or *. The parts may come in any order; if
// a part occurs twice, the second value is used. /cpu:0 and /gpu:0 are old spellings of
// /device:CPU:0 and /device:GPU:0. For any other text, the error is InvalidArgument.
func ParseName(s string) (Name, error) {
	n, ok := Name{}, len(s) <= maxName
	if ok {
		n, ok = parse(s)
	}
	if !ok {
		return Name{}, tensor.Errorf(tensor.InvalidArgument,
			"malformed device specification %q; /job:name/replica:0/task:0/device:CPU:0 or a part of it is accepted", tensor.Clip(s))
	}
	return n, nil
}

func parse(s string) (n Name, ok bool) {
	if s == "/" {
		return n, true
	}
	for s != "" {
		key, rest, found := strings.Cut(s, ":")
		if !found {
			return n, false
		}
		switch key {
		case "/job":
			n.Job, n.HasJob, s, ok = word(rest, "/")
		case "/replica":
			n.Replica, n.HasReplica, s, ok = number(rest)
		case "/task":
			n.Task, n.HasTask, s, ok = number(rest)
		case "/device":
			if n.Type, n.HasType, s, ok = word(rest, "/:"); ok {
				n.ID, n.HasID = 0, false
				if strings.HasPrefix(s, ":") {
					n.ID, n.HasID, s, ok = number(s[1:])
				}
			}
		case "/cpu", "/CPU", "/gpu", "/GPU":
			n.Type, n.HasType = strings.ToUpper(key[1:]), true
			n.ID, n.HasID, s, ok = number(rest)
		default:
			ok = false
		}
		if !ok {
			return n, false
		}
	}
	return n, true
}

// word parses one part of a name at the start of s: either *, or a letter followed by letters,
// digits and underscores. The second parameter contains the bytes that may follow the part. The part
// may also extend to the end of s.
func word(s, ends string) (w string, has bool, rest string, ok bool) {
	if strings.HasPrefix(s, "*") {
		return "", false, s[1:], true
	}
	end := strings.IndexAny(s, ends)
	if end < 0 {
		end = len(s)
	}
	for i, c := range []byte(s[:end]) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return "", false, s, false
		}
	}
	return s[:end], true, s[end:], end > 0
}

// number parses * or a decimal number below 2³¹.
func number(s string) (v int, has bool, rest string, ok bool) {
	if strings.HasPrefix(s, "*") {
		return 0, false, s[1:], true
	}
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	u, err := strconv.ParseUint(s[:end], 10, 31)
	return int(u), true, s[end:], err == nil
}

// String formats the present parts. A type without a number is /device:TYPE:*; a number without a
// type is omitted.
func (n Name) String() string {
	var b strings.Builder
	part := func(has bool, key, val string) {
		if has {
			b.WriteString(key)
			b.WriteString(val)
		}
	}
	part(n.HasJob, "/job:", n.Job)
	part(n.HasReplica, "/replica:", strconv.Itoa(n.Replica))
	part(n.HasTask, "/task:", strconv.Itoa(n.Task))
	part(n.HasType, "/device:", n.Type)
	if n.HasType && n.HasID {
		part(true, ":", strconv.Itoa(n.ID))
	} else {
		part(n.HasType, ":", "*")
	}
	return b.String()
}

// Empty reports whether all parts are missing.
func (n Name) Empty() bool {
	return !n.HasJob && !n.HasReplica && !n.HasTask && !n.HasType && !n.HasID
}

// Full reports whether all parts are present.
func (n Name) Full() bool {
	return n.HasJob && n.HasReplica && n.HasTask && n.HasType && n.HasID
}

// TaskName returns the part of the name that identifies an address space: job, replica and task.
func (n Name) TaskName() Name {
	n.Type, n.HasType, n.ID, n.HasID = "", false, 0, false
	return n
}

// SameTask reports whether both names have the same job, replica and task, all of them present.
func (n Name) SameTask(o Name) bool {
	return n.hasTask() && n.TaskName() == o.TaskName()
}

func (n Name) hasTask() bool { return n.HasJob && n.HasReplica && n.HasTask }

// Compatible reports whether the parts that both names have are equal.
func (n Name) Compatible(o Name) bool { return compatible(&n, &o) }

// Matches reports whether the full name has every part of the pattern n.
func (n Name) Matches(full Name) bool { return compatible(&n, &full) }

func compatible(n, o *Name) bool {
	return !(n.HasID && o.HasID && n.ID != o.ID ||
		n.HasType && o.HasType && n.Type != o.Type ||
		n.HasTask && o.HasTask && n.Task != o.Task ||
		n.HasReplica && o.HasReplica && n.Replica != o.Replica ||
		n.HasJob && o.HasJob && n.Job != o.Job)
}

// Merge joins two partial names. If job, replica or task differs, the error is InvalidArgument. If
// the type or the number differs, the error is InvalidArgument, too, unless soft is set: then the
// result has no number and, if the types differ, no type.
func (n Name) Merge(o Name, soft bool) (Name, error) {
	if err := n.taskConflict(o); err != nil {
		return n, err
	}
	typed := n.HasType && o.HasType && n.Type != o.Type
	if (typed || n.HasID && o.HasID && n.ID != o.ID) && !soft {
		what := "ids"
		if typed {
			what = "types"
		}
		return n, n.mergeError(o, what)
	}
	r := n.withTask(o)
	switch {
	case typed:
		r.Type, r.HasType, r.ID, r.HasID = "", false, 0, false
		return r, nil
	case o.HasType:
		r.Type, r.HasType = o.Type, true
	}
	switch {
	case n.HasID && o.HasID && n.ID != o.ID:
		r.ID, r.HasID = 0, false
	case o.HasID:
		r.ID, r.HasID = o.ID, true
	}
	return r, nil
}

// Override joins two partial names. Where both have a type or a number, those of o are used. The
// error is InvalidArgument if the jobs, replicas or tasks of the two names differ.
func (n Name) Override(o Name) (Name, error) {
	if err := n.taskConflict(o); err != nil {
		return n, err
	}
	return n.Specialise(o), nil
}

// Specialise overwrites every part of n that o has.
func (n Name) Specialise(o Name) Name {
	n = n.withTask(o)
	if o.HasType {
		n.Type, n.HasType = o.Type, true
	}
	if o.HasID {
		n.ID, n.HasID = o.ID, true
	}
	return n
}

func (n Name) withTask(o Name) Name {
	if o.HasJob {
		n.Job, n.HasJob = o.Job, true
	}
	if o.HasReplica {
		n.Replica, n.HasReplica = o.Replica, true
	}
	if o.HasTask {
		n.Task, n.HasTask = o.Task, true
	}
	return n
}

func (n Name) taskConflict(o Name) error {
	switch {
	case n.HasJob && o.HasJob && n.Job != o.Job:
		return n.mergeError(o, "jobs")
	case n.HasReplica && o.HasReplica && n.Replica != o.Replica:
		return n.mergeError(o, "replicas")
	case n.HasTask && o.HasTask && n.Task != o.Task:
		return n.mergeError(o, "tasks")
	}
	return nil
}

func (n Name) mergeError(o Name, what string) error {
	return tensor.Errorf(tensor.InvalidArgument, "cannot merge devices with incompatible %s: %q and %q", what, n, o)
}

// without returns a copy of n. The copy lacks the type if the parameter typ is true, and the number
// if the parameter id is true.
func (n Name) without(typ, id bool) Name {
	if typ {
		n.Type, n.HasType = "", false
	}
	if id {
		n.ID, n.HasID = 0, false
	}
	return n
}
