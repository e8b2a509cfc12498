package dump

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/partition"
	"github.com/graphc/graphc/rt/files"
)

// Partitions divides the graph of each signature into partitions as TensorFlow does, one for each
// device. It writes each partition as a GraphDef into the folder dir, and prints one line about it.
func Partitions(a *base.App, paths []string, f flags.Model, dir string) error {
	o, err := f.Options()
	if err != nil {
		return err
	}
	devices, err := pipeline.DeviceNames(o.Devices)
	if err != nil {
		return err
	}
	placed := map[string]*ir.Graph{} // by signature
	o.NoOpt, o.KeepGraph = true, true
	o.Dump = func(pass, signature string, g *ir.Graph) {
		if pass == "place" {
			placed[signature] = g.Clone()
		}
	}
	phase := compiling(a, &o, paths[0])
	p, err := pipeline.Compile(paths, o)
	phase.Close()
	if err != nil {
		return base.WrapModel(paths, err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	out := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(out, "FILE\tDEVICE\tNODES\tSENDS\tRECEIVES\tFUNCTIONS")
	written := map[string]bool{}
	for _, s := range p.Signatures {
		prefix := ""
		if len(p.Signatures) > 1 {
			prefix = base.Or(s.Name, "graph")
		}
		if err := writePartitions(out, dir, prefix, placed[s.Name], devices[0], written); err != nil {
			return base.WrapModel(paths, err)
		}
	}
	return out.Flush()
}

// sessionIncarnation is the incarnation of every device of a session in one process.
const sessionIncarnation = 1

// writePartitions divides g into partitions and writes each of them into a file in dir.
func writePartitions(out *tabwriter.Writer, dir, prefix string, g *ir.Graph, client string, written map[string]bool) error {
	if g == nil {
		return errors.New("the graph has not been placed")
	}
	for _, n := range g.Nodes {
		if n.Device == "" { // with one device, nodes have no device name
			n.Device = client
		}
		if n.Op == "_ToBool" { // such a node is the condition of an If or While that was inlined
			n.Op = "ToBool"
		}
	}
	parts, err := partition.Split(g, partition.Options{Client: client, Incarnation: func(string) uint64 { return sessionIncarnation }})
	if err != nil {
		return err
	}
	for _, p := range parts {
		name := freeFile(strings.TrimPrefix(prefix+"_"+p.Device, "_"), written)
		colocateWithin(p.Graph)
		if err := writeGraph(files.Dir(dir), filepath.Join(dir, name), p.Graph); err != nil {
			return fmt.Errorf("%s: %w", p.Device, err)
		}
		sends, recvs, functions := 0, 0, 0
		for _, n := range p.Graph.Nodes {
			switch n.Op {
			case "_Send", "_HostSend":
				sends++
			case "_Recv", "_HostRecv":
				recvs++
			}
		}
		if p.Graph.Library != nil {
			functions = len(p.Graph.Library.Functions)
		}
		fmt.Fprintf(out, "%s\t%s\t%d\t%d\t%d\t%d\n", name, p.Device, len(p.Graph.Nodes), sends, recvs, functions)
	}
	return nil
}

// colocateWithin removes those colocation groups of the nodes of a partition that refer to nodes
// outside of the partition. TensorFlow does not load a partition with such groups.
func colocateWithin(g *ir.Graph) {
	for _, n := range g.Nodes {
		class, ok := n.Attrs["_class"].([]string)
		if !ok {
			continue
		}
		class = slices.DeleteFunc(slices.Clone(class), func(s string) bool {
			name, with := strings.CutPrefix(s, "loc:@")
			return with && g.Node(name) == nil
		})
		if n.Attrs["_class"] = class; len(class) == 0 {
			delete(n.Attrs, "_class")
		}
	}
}

// maxFileName is the maximum length of a file name that is derived from a name in a model.
const maxFileName = 150

// freeFile converts a name to the name of a new file. The second argument is the set of file names
// that are in use, in lower case; freeFile adds the new one. The new name has at most maxFileName
// letters, digits, dashes and underscores, then a number if it would otherwise be in use, and then
// ".pb".
func freeFile(name string, written map[string]bool) string {
	name = strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '-':
			return r
		}
		return '_'
	}, name), "_")
	name = strings.ReplaceAll(name[:min(len(name), maxFileName)], "__", "_")
	free := name + ".pb"
	for i := 1; written[strings.ToLower(free)]; i++ { // compare in lower case, because some file systems ignore case
		free = fmt.Sprintf("%s_%d.pb", name, i)
	}
	written[strings.ToLower(free)] = true
	return free
}

func writeGraph(dir files.Dir, path string, g *ir.Graph) (err error) {
	return dir.WriteWhole(path, func(w io.Writer) error { return frontend.WriteGraphDef(w, g) })
}
