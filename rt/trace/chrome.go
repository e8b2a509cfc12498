package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// chromeEvent is an event of Chrome's trace format, which Perfetto also reads.
type chromeEvent struct {
	Name  string         `json:"name"`
	Cat   string         `json:"cat,omitempty"`
	Phase string         `json:"ph"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	TS    micros         `json:"ts"`
	Dur   *micros        `json:"dur,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// micros is a time that MarshalJSON writes in microseconds with three decimals.
type micros time.Duration

// MarshalJSON implements json.Marshaler.
func (m micros) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%03d", int64(m)/1000, int64(m)%1000), nil
}

// WriteChrome writes the runs as a trace for chrome://tracing and ui.perfetto.dev. In the trace, each
// device is a process, and runs that overlap in time are on different threads. The event of a run
// lists the sizes of the run's memory. The events of its steps are inside, and list the sizes of the
// outputs and allocations. For a device other than a CPU, the trace contains a second process with
// the work of the device itself. The name of this process ends with AllStreams, and its threads are
// streams.
func (t *Trace) WriteChrome(w io.Writer) error {
	runs := t.Runs()
	pid := map[string]int{}
	for _, r := range runs {
		pid[r.Device] = 0
		if r.Work != nil {
			pid[r.Device+AllStreams] = 0
		}
	}
	devices := slices.Sorted(maps.Keys(pid))
	var events []chromeEvent
	for i, d := range devices {
		pid[d] = i + 1
		events = append(events, chromeEvent{Name: "process_name", Phase: "M", PID: i + 1, Args: map[string]any{"name": d}})
	}
	type lane struct{ pid, tid int }
	threads := map[lane]string{}
	span := func(e chromeEvent, from, to time.Duration) {
		d := micros(to - from)
		e.Phase, e.TS, e.Dur = "X", micros(from), &d
		events = append(events, e)
		if l := (lane{e.PID, e.TID}); threads[l] == "" {
			threads[l] = fmt.Sprintf("thread %d", e.TID)
		}
	}
	for _, r := range runs {
		name := r.Signature
		if name == "" {
			name = "run"
		}
		args := map[string]any{"signature": r.Signature, "arena_bytes": r.Arena, "own_bytes": r.Own, "grown_bytes": r.Grown, "peak_bytes": r.Peak}
		if r.Err != nil {
			args["error"] = r.Err.Error()
		}
		p := pid[r.Device]
		span(chromeEvent{Name: name, Cat: "run", PID: p, TID: r.Thread, Args: args}, r.Start, r.End)
		events = append(events, chromeEvent{Name: "memory", Phase: "C", PID: p, TS: micros(r.Start), Args: map[string]any{"bytes": r.Peak}},
			chromeEvent{Name: "memory", Phase: "C", PID: p, TS: micros(r.End), Args: map[string]any{"bytes": 0}})
		for i := range r.Steps {
			s := &r.Steps[i]
			args := map[string]any{"node": s.Node}
			if len(s.Outputs) > 0 {
				args["outputs"], args["bytes"] = outputsText(s.Outputs), bytesOf(s.Outputs)
			}
			if s.Grown > 0 {
				args["grown_bytes"] = s.Grown
			}
			span(chromeEvent{Name: s.Op, Cat: "op", PID: p, TID: s.Thread, Args: args}, s.Start, s.End)
		}
	}
	for _, r := range runs {
		if r.Work == nil {
			continue
		}
		p := pid[r.Device+AllStreams]
		events = append(events, chromeEvent{Name: "memory", Phase: "C", PID: p, TS: micros(r.Start), Args: map[string]any{"bytes": r.Work.Block + r.Work.Own}},
			chromeEvent{Name: "memory", Phase: "C", PID: p, TS: micros(r.End), Args: map[string]any{"bytes": 0}})
		for i := range r.Work.Items {
			w := &r.Work.Items[i]
			args := map[string]any{"node": w.Node, "op": w.Op}
			if w.Bytes > 0 {
				args["bytes"] = w.Bytes
			}
			tid := 2 * r.Thread // each concurrent run has two threads: for its compute stream, and for other streams
			if w.Stream != "compute" {
				tid++
			}
			threads[lane{p, tid}] = w.Stream
			if r.Thread > 0 {
				threads[lane{p, tid}] += fmt.Sprintf(" %d", r.Thread)
			}
			span(chromeEvent{Name: w.What, Cat: "kernel", PID: p, TID: tid, Args: args}, w.Start, w.End)
		}
	}
	for _, l := range slices.SortedFunc(maps.Keys(threads), func(a, b lane) int { return (a.pid-b.pid)<<20 + a.tid - b.tid }) {
		events = append(events, chromeEvent{Name: "thread_name", Phase: "M", PID: l.pid, TID: l.tid, Args: map[string]any{"name": threads[l]}})
	}
	b := bufio.NewWriter(w)
	b.WriteString("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [")
	return writeRows(b, "\n", events)
}

// writeRows writes rows as the elements of a JSON array whose opening bracket is written already. The
// parameter before is white space that it writes in front of each element. The array is the last member
// of a JSON object. Therefore writeRows also writes the closing brackets of the array and of the object.
func writeRows[T any](b *bufio.Writer, before string, rows []T) error {
	for i := range rows {
		line, err := json.Marshal(&rows[i])
		if err != nil {
			return err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(before)
		b.Write(line)
	}
	b.WriteString("\n]}\n")
	return b.Flush()
}

func bytesOf(out []Output) int {
	n := 0
	for _, o := range out {
		n += o.Bytes
	}
	return n
}

// outputsText formats types and shapes: "f32[32,10] i64[?]".
func outputsText(out []Output) string {
	var b strings.Builder
	for i, o := range out {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(o.DType.String())
		b.WriteByte('[')
		if o.Shape == nil {
			b.WriteByte('?')
		}
		for a, d := range o.Shape {
			if a > 0 {
				b.WriteByte(',')
			}
			fmt.Fprint(&b, d)
		}
		b.WriteByte(']')
	}
	return b.String()
}
