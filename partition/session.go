package partition

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// rewriteIO makes of a graph what a session runs: each feed is an _Arg and each
// fetch a _Retval on the client's device, in the order of their names, and only what fetches
// and targets need is left. A tensor that is fed and fetched is not the graph's affair.
func (f *flat) rewriteIO(g *ir.Graph, client string) error {
	fed := map[ir.Out]bool{}
	feeds := slices.Clone(g.Feeds)
	sort.SliceStable(feeds, func(i, j int) bool { return feeds[i].Name < feeds[j].Name })
	for i, feed := range feeds {
		v := f.byNode[feed.Out.Node]
		if v == nil || feed.Out.Index >= len(v.node.Outs) || fed[feed.Out] {
			return tensor.Errorf(tensor.InvalidArgument, "feed %q is no tensor of the graph, or fed twice", feed.Name)
		}
		fed[feed.Out] = true
		arg := f.ioNode("_Arg", "_arg_", feed.Name, feed.Out, i, client)
		arg.node.Outs = []ir.Fact{{DType: feed.Out.Fact().DType}}
		f.after(f.source, arg)
		for _, l := range v.out {
			switch {
			case l.gone:
				continue
			case l.out == feed.Out.Index:
				f.connect(arg, 0, l.dst, l.in)
			case l.control() && (v.node.Op == "Placeholder" || v.node.Op == "PlaceholderV2"):
				f.after(arg, l.dst)
			default:
				continue
			}
			l.gone = true
		}
	}
	fetches := slices.Clone(g.Fetches)
	sort.SliceStable(fetches, func(i, j int) bool { return fetches[i].Name < fetches[j].Name })
	var roots []*vertex
	done := map[ir.Out]bool{}
	for _, fetch := range fetches {
		v := f.byNode[fetch.Out.Node]
		if v == nil || fetch.Out.Index >= len(v.node.Outs) {
			return tensor.Errorf(tensor.InvalidArgument, "fetch %q is no tensor of the graph", fetch.Name)
		}
		if fed[fetch.Out] || done[fetch.Out] {
			continue
		}
		ret := f.ioNode("_Retval", "_retval_", fetch.Name, fetch.Out, len(done), client)
		done[fetch.Out] = true
		f.connect(v, fetch.Out.Index, ret, 0)
		f.after(ret, f.sink)
		roots = append(roots, ret)
	}
	for _, t := range g.Targets {
		v := f.byNode[t]
		if v == nil {
			return tensor.Errorf(tensor.InvalidArgument, "target %q is no node of the graph", t.Name)
		}
		roots = append(roots, v)
	}
	keep := reached(roots)
	f.replicate(keep)
	f.compact(keep)
	return nil
}

// maxReplicated is the most elements of a constant that each device gets for itself.
const maxReplicated = 16

// replicate gives each device on which a small constant of a CPU is read one of its own, as a
// session does: it is not sent then. A constant for which a node waits stays one.
func (f *flat) replicate(keep map[*vertex]bool) {
	count := 0
	for _, v := range f.vertices {
		if !keep[v] || v.node.Value() == nil || v.node.Value().Len() > maxReplicated || kind(v.device) != "CPU" {
			continue
		}
		readers := map[string][]*link{}
		waited := false
		for _, l := range v.out {
			if l.gone || !keep[l.dst] {
				continue
			}
			waited = waited || l.control()
			d := hostOf(l.dst.device)
			readers[d] = append(readers[d], l)
		}
		if waited || len(readers) < 2 {
			continue
		}
		delete(keep, v)
		for _, device := range slices.Sorted(maps.Keys(readers)) {
			n := *v.node
			n.Name = f.free(fmt.Sprintf("%s/replicate/_%d", v.node.Name, count))
			count++
			c := f.add(&n, device)
			keep[c] = true
			for _, l := range readers[device] {
				l.gone = true
				f.connect(c, l.out, l.dst, l.in)
			}
			for _, l := range v.in {
				f.after(l.src, c)
			}
		}
	}
}

// hostOf returns the CPU beside a device: itself if it is one.
func hostOf(device string) string {
	if kind(device) == "CPU" {
		return device
	}
	return device[:strings.LastIndexByte(device, '/')+1] + "device:CPU:0"
}

// ioNode adds the node for a feed or fetch. Its name tells the tensor's and the number.
func (f *flat) ioNode(op, prefix, name string, o ir.Out, number int, client string) *vertex {
	node, index := o.Node.Name, o.Index
	if i := strings.LastIndexByte(name, ':'); i > 0 {
		if k, err := strconv.Atoi(name[i+1:]); err == nil {
			node, index = name[:i], k
		}
	}
	n := &ir.Node{Name: f.free(fmt.Sprintf("%s%s_%d_%d", prefix, node, index, number)), Op: op,
		Attrs: map[string]ir.Attr{"T": o.Fact().DType, "index": int64(number)}}
	return f.add(n, client)
}

// free returns a name that no node has, and takes it.
func (f *flat) free(name string) string {
	free := name
	for i := 1; f.taken[free]; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	f.taken[free] = true
	return free
}

// reached returns the vertices from which edges lead to one of the roots, and these.
func reached(roots []*vertex) map[*vertex]bool {
	keep := map[*vertex]bool{}
	var work []*vertex
	add := func(v *vertex) {
		if !keep[v] {
			keep[v] = true
			work = append(work, v)
		}
	}
	for _, v := range roots {
		add(v)
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, l := range v.in {
			if !l.gone {
				add(l.src)
			}
		}
	}
	return keep
}
