package device

import "github.com/graphc/graphc/rt/tensor"

// Preload loads kernels before the first run that uses them, so that the run does not have to wait.
// The parameter segments is the number of segments of the future work. The function record must
// make the same calls on the queue as that work: for each segment whose kernels are to be loaded,
// q.Begin and then the calls of the segment. No work is enqueued on the device, and the memory to
// which the calls refer need not exist. If the device does not accept a kernel, the error names the
// node that launches it.
func Preload(d Device, segments int, record func(q *Queue)) error {
	q := &Queue{dev: d, segments: make([]*segment, segments), procs: max(1, d.Attributes().Processors)}
	for i := range q.segments {
		q.segments[i] = &segment{batch: new(Batch)}
	}
	record(q)
	loaded := map[*Kernel]bool{}
	for _, s := range q.segments {
		for i := range s.batch.Items {
			it := &s.batch.Items[i]
			if it.Kind != LaunchItem || loaded[it.Kernel] {
				continue
			}
			if err := d.Prepare(it.Kernel); err != nil {
				return tensor.AtNode(err, it.Node, it.Op)
			}
			loaded[it.Kernel] = true
		}
	}
	return nil
}
