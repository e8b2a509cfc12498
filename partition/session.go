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

// rewriteIO turns the graph into the one that a session of TensorFlow runs. Each feed becomes an
// _Arg and each fetch becomes a _Retval. They are on the client's device, and are numbered in the
// order of the names of feeds and fetches. Nodes that no fetch and no target needs are removed. If
// a tensor is both fed and fetched, it has no _Retval, because the session returns the fed value
// without running the graph.
func (f *flat) rewriteIO(g *ir.Graph, client string) error {
	fed := map[ir.Out]bool{}
	feeds := slices.Clone(g.Feeds)
	sort.SliceStable(feeds, func(i, j int) bool { return feeds[i].Name < feeds[j].Name })
	for i, feed := range feeds {
		v := f.byNode[feed.Out.Node]
		if v == nil || feed.Out.Index >= len(v.node.Outs) || fed[feed.Out] {
			return tensor.Errorf(tensor.InvalidArgument, "feed %q is not a tensor of the graph, or is fed twice", feed.Name)
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
			return tensor.Errorf(tensor.InvalidArgument, "fetch %q is not a tensor of the graph", fetch.Name)
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
			return tensor.Errorf(tensor.InvalidArgument, "target %q is not a node of the graph", t.Name)
		}
		roots = append(roots, v)
	}
	keep := reached(roots)
	f.replicate(keep)
	f.compact(keep)
	return nil
}

// maxReplicated is the largest number of elements that a constant may have if replicate is to copy
// it.
const maxReplicated = 16

// replicate replaces a small constant on a CPU by copies, as a session of TensorFlow does. Each device
// that reads the constant then reads a copy on its own CPU (see hostOf), so the value need not be sent
// from one CPU to another. Devices with the same CPU share a copy. The constant is not replaced if it
// is the source of a control edge, or if a single copy would be enough.
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

// hostOf returns the CPU next to a device: the device itself if it is a CPU.
func hostOf(device string) string {
	if kind(device) == "CPU" {
		return device
	}
	return device[:strings.LastIndexByte(device, '/')+1] + "device:CPU:0"
}

// ioNode adds the _Arg or _Retval node for a feed or fetch. The name of the node contains the name
// of the tensor and the given number. This number is also the node's attribute index.
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

// free returns the given name or, if it is in use, an unused name that begins with it. The returned
// name is marked as used.
func (f *flat) free(name string) string {
	free := name
	for i := 1; f.taken[free]; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	f.taken[free] = true
	return free
}

// reached returns the roots and all vertices from which a path leads to a root.
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
