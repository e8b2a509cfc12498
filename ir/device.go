package ir

import "strings"

// device is a parsed device name; "" marks a part that is missing or "*".
type device struct{ job, replica, task, kind, id string }

// splitDevice parses a name such as /job:worker/task:1/device:GPU:0 or /cpu:0. It returns false for
// another syntax.
func splitDevice(name string) (device, bool) {
	var d device
	if name != "" && name[0] != '/' {
		return d, false
	}
	for _, part := range strings.Split(name, "/") {
		if part == "" {
			continue
		}
		key, value, ok := strings.Cut(part, ":")
		if !ok {
			return d, false
		}
		to := &d.id
		switch key {
		case "job":
			to = &d.job
		case "replica":
			to = &d.replica
		case "task":
			to = &d.task
		case "cpu", "gpu", "CPU", "GPU":
			d.kind = strings.ToUpper(key)
		case "device":
			var kind string
			kind, value, _ = strings.Cut(value, ":")
			if d.kind = kind; kind == "*" {
				d.kind = ""
			}
		default:
			return d, false
		}
		if value != "*" {
			*to = value
		}
	}
	return d, true
}

func (d device) String() string {
	var b strings.Builder
	for _, p := range []struct{ key, value string }{{"job", d.job}, {"replica", d.replica}, {"task", d.task}} {
		if p.value != "" {
			b.WriteString("/" + p.key + ":" + p.value)
		}
	}
	switch {
	case d.kind != "" && d.id != "":
		b.WriteString("/device:" + d.kind + ":" + d.id)
	case d.kind != "":
		b.WriteString("/device:" + d.kind + ":*")
	case d.id != "":
		b.WriteString("/device:*:" + d.id)
	}
	return b.String()
}

// FillDevice completes a device name: it replaces the missing parts of name by those of a second
// device name, which is the parameter from. When a call is inlined, name is the device of a node of
// the function's body, and from is the call's device. If splitDevice cannot parse one of the two,
// FillDevice returns name unchanged.
func FillDevice(name, from string) string {
	if name == "" || from == "" {
		return name + from
	}
	d, ok := splitDevice(name)
	e, fine := splitDevice(from)
	if !ok || !fine {
		return name
	}
	for _, p := range []struct {
		to   *string
		from string
	}{{&d.job, e.job}, {&d.replica, e.replica}, {&d.task, e.task}, {&d.kind, e.kind}, {&d.id, e.id}} {
		if *p.to == "" {
			*p.to = p.from
		}
	}
	return d.String()
}
