package trace

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// WriteText writes a table of the costs of nodes over all runs, the most expensive first, and a
// table of the memory of the runs. If there are devices other than CPUs, a third table lists their
// kernels and copies, timed by the devices' own clocks.
func (t *Trace) WriteText(w io.Writer) error {
	p := t.Profile()
	p.Nodes = slices.DeleteFunc(p.Nodes, func(c Cost) bool { return strings.HasSuffix(c.Device, AllStreams) })
	var all int64
	for _, c := range p.Nodes {
		all += c.NS
	}
	slices.SortStableFunc(p.Nodes, func(a, b Cost) int { return cmp.Compare(b.NS, a.NS) })
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "share\ttime\ttimes\tonce\tbytes\top\tnode\tdevice")
	for i := range p.Nodes {
		c := &p.Nodes[i]
		share := 0.0
		if all > 0 {
			share = 100 * float64(c.NS) / float64(all)
		}
		fmt.Fprintf(tw, "%.1f%%\t%v\t%d\t%v\t%d\t%s\t%s\t%s\n", share, time.Duration(c.NS), c.Times, c.Mean(), c.Bytes, c.Op, c.Node, shortDevice(c.Device))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if err := t.devices(tw); err != nil {
		return err
	}
	type group struct{ signature, device string }
	var order []group
	sums := map[group]*Run{}
	count := map[group]int{}
	for _, r := range t.Runs() {
		g := group{r.Signature, r.Device}
		if sums[g] == nil {
			sums[g] = &Run{Arena: r.Arena}
			order = append(order, g)
		}
		s := sums[g]
		count[g]++
		s.End += r.End - r.Start
		s.Grown += r.Grown
		s.Peak, s.Arena = max(s.Peak, r.Peak), max(s.Arena, r.Arena)
	}
	fmt.Fprintln(tw, "\nruns\tonce\tarena\tgrown\tpeak\tsignature\tdevice")
	for _, g := range order {
		s, n := sums[g], count[g]
		fmt.Fprintf(tw, "%d\t%v\t%d\t%d\t%d\t%q\t%s\n", n, s.End/time.Duration(n), s.Arena, s.Grown, s.Peak, g.signature, shortDevice(g.device))
	}
	if n := t.Left(); n > 0 {
		fmt.Fprintf(tw, "%d more runs are in the costs only\n", n)
	}
	return tw.Flush()
}

// devices writes the table of the kernels and copies on devices other than CPUs.
func (t *Trace) devices(tw *tabwriter.Writer) error {
	type key struct{ device, what, op, node string }
	type sum struct {
		key
		times, bytes int
		took         time.Duration
	}
	sums := map[key]*sum{}
	var list []*sum
	var all time.Duration
	for _, r := range t.Runs() {
		if r.Work == nil {
			continue
		}
		for _, w := range r.Work.Items {
			k := key{shortDevice(r.Device), w.What, w.Op, w.Node}
			s := sums[k]
			if s == nil {
				s = &sum{key: k}
				sums[k] = s
				list = append(list, s)
			}
			s.times++
			s.bytes += w.Bytes
			s.took += w.End - w.Start
			all += w.End - w.Start
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b *sum) int { return cmp.Compare(b.took, a.took) })
	fmt.Fprintln(tw, "\nshare\ttime\ttimes\tonce\tbytes\tkernel\top\tnode\tdevice")
	for _, s := range list {
		fmt.Fprintf(tw, "%.1f%%\t%v\t%d\t%v\t%d\t%s\t%s\t%s\t%s\n", 100*float64(s.took)/float64(max(all, 1)), s.took, s.times, s.took/time.Duration(s.times), s.bytes, s.what, s.op, s.node, s.device)
	}
	return tw.Flush()
}

// shortDevice returns the last part of a device name: "CPU:0".
func shortDevice(full string) string {
	if i := strings.LastIndex(full, "device:"); i >= 0 {
		return full[i+len("device:"):]
	}
	return full
}
