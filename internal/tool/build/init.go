package build

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/config"
	"github.com/graphc/graphc/internal/emitdir"
	"github.com/graphc/graphc/internal/tool/base"
)

// initHead is the beginning of the graphc.yaml that "graphc init" writes.
const initHead = `# What "graphc generate" builds. Put this line into a Go file of this folder
# and "go generate" runs it:
#
#	//go:generate go tool graphc
#
# Paths are relative to this file. "graphc init --schema" prints a JSON schema.
version: "1"

# omit_version: true           # leave graphc's version out of generated files
# runtime_dir: internal/graphc # copies of the run time that standalone packages share

models:
  - path: %s
`

// initAny is the part of the new graphc.yaml about signatures if the model does not exist yet.
const initAny = `    # signatures: [serving_default]
    # names:                   # of your own
    #   serving_default: score # the signature, and with it the Go method: Score
    # feeds: ["picture=x:0"]   # instead of a signature: key=tensor
    # fetches: ["scores=y:0"]
    # shapes:
    #   picture: "n,224,224,3" # n: a size that is known at run time
`

// initRest is the end of the new graphc.yaml.
const initRest = `    # main: true               # a program instead of a package
    # runtime: standalone      # copy the run time; import uses the graphc module
    # arch: [amd64]            # processors whose assembly is copied; others run Go
    # example: true            # an example of how the package is used
    # devices: [cpu:0, cpu:1]  # where nodes may run
    # soft_placement: true     # run nodes elsewhere whose device does not exist
    # place_pruned: false      # place what no fetch needs, too
    # partial: true            # signatures can be run in steps
    # connect: ["a:0=y:0"]     # readers of y:0 read a:0
    # session_config: c.pbtxt  # a TensorFlow ConfigProto
`

// Init writes a graphc.yaml for a model, with explanations as comments. If the model exists, the
// file lists the model's signatures and has names for unknown sizes.
func Init(ctx context.Context, a *base.App, model string, force bool) error {
	if _, err := os.Lstat(config.FileName); err == nil && !force {
		return fmt.Errorf("%s exists already; --force overwrites it", config.FileName)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	body := initAny
	_, err := os.Stat(model)
	absent := errors.Is(err, fs.ErrNotExist)
	if !absent {
		phase := a.NewPhase("compile " + model)
		defer phase.Close()
		m, err := graphc.Load(ctx, model, nil)
		if err != nil {
			return base.WrapModel([]string{model}, err)
		}
		d, err := describe(ctx, m)
		phase.Close()
		if err != nil {
			return base.WrapModel([]string{model}, err)
		}
		if d.err != nil {
			fmt.Fprintf(a.Err, "warning: %v\n", base.WrapModel([]string{model}, d.err))
		}
		if len(d.signatures) > 0 {
			body = d.text()
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, initHead, yamlText(filepath.ToSlash(model)))
	list(&b, []line{{"    out: " + outFor(model), "folder of the generated package"}, {"    package: model", "its name"}})
	if err := emitdir.WriteFile(config.FileName, []byte(b.String()+body+initRest), 0o644); err != nil {
		return err
	}
	if absent {
		fmt.Fprintf(a.Err, "wrote %s for %s, which does not exist yet\n", config.FileName, model)
		return nil
	}
	fmt.Fprintf(a.Err, "wrote %s\n", config.FileName)
	return nil
}

// outFor returns the folder for the generated package, which must differ from the model's folder.
func outFor(model string) string {
	if first, _, _ := strings.Cut(filepath.ToSlash(filepath.Clean(model)), "/"); first == "model" {
		return "compiled"
	}
	return "model"
}

// described has the facts about a model that "graphc init" writes to graphc.yaml.
type described struct {
	signatures []describedSignature
	bare       bool        // whether the model is a graph without signatures; graphc.yaml then defines one
	shapes     [][2]string // pairs of a feed and its proposed shape, sorted
	notes      []*graphc.Diagnostic
	err        error // compile error of the model, or nil
}

type describedSignature struct {
	name           string
	method         string // name of the Go method; "" if the model does not compile
	feeds, fetches []describedPort
}

type describedPort struct{ key, tensor, field, text string }

// describe compiles a model twice: first unchanged, and then with one name for the unknown first
// dimensions of all feeds. Such a name makes the code shorter, and it appears in comments and
// errors. The result has no proposed shapes if the second compilation fails, or if it shows that
// these dimensions can differ.
func describe(ctx context.Context, m *graphc.Model) (*described, error) {
	p, err := m.Compile(ctx, nil)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return declared(ctx, m, err)
	}
	d := &described{notes: p.Notes()}
	o := &graphc.Options{Shapes: map[string]string{}}
	for _, s := range p.Signatures() {
		o.Signatures = append(o.Signatures, s.Name)
	}
	d.add(p)
	if s := d.signatures[0]; s.name == "" {
		d.bare = true
		o.Signatures, o.Calls = nil, []graphc.Call{{Name: "predict", Feeds: keyed(s.feeds), Fetches: keyed(s.fetches)}}
	}
	d.shapes = proposed(p)
	for _, x := range d.shapes {
		o.Shapes[x[0]] = x[1]
	}
	q, err := m.Compile(ctx, o)
	if err != nil || apart(q) {
		d.shapes = nil
		return d, ctx.Err()
	}
	d.signatures = nil
	d.add(q)
	return d, nil
}

// apart reports whether dimensions that were given one name are in fact different. This is so if a
// size in the shape of a fetch contains the operator bcast. Its operands are two sizes that must be
// equal unless one of them is 1. Few values of the common size, or none, would satisfy this
// condition.
func apart(p *graphc.Program) bool {
	for _, s := range p.Signatures() {
		for i := range s.Fetches {
			if slices.ContainsFunc(s.Fetches[i].Dims, func(d string) bool { return strings.Contains(d, "bcast(") }) {
				return true
			}
		}
	}
	return false
}

// add appends the signatures of a compiled program to d.signatures.
func (d *described) add(p *graphc.Program) {
	for _, s := range p.Signatures() {
		x := describedSignature{name: s.Name, method: s.Method}
		for i := range s.Feeds {
			f := &s.Feeds[i]
			x.feeds = append(x.feeds, describedPort{f.Key, f.Name, f.Field, f.String()})
		}
		for i := range s.Fetches {
			f := &s.Fetches[i]
			x.fetches = append(x.fetches, describedPort{f.Key, f.Name, f.Field, f.String()})
		}
		d.signatures = append(d.signatures, x)
	}
}

// declared returns the description of a model that does not compile. The signatures are those that
// the model declares, and the parameter why is the compile error.
func declared(ctx context.Context, m *graphc.Model, why error) (*described, error) {
	r, err := m.Inspect(ctx, nil)
	if err != nil {
		return nil, err
	}
	d := &described{err: why}
	ports := func(ps []graphc.PortReport) (out []describedPort) {
		for _, p := range ps {
			out = append(out, describedPort{key: p.Key, tensor: p.Tensor, text: p.DType + p.Shape})
		}
		return out
	}
	for _, s := range r.Signatures {
		d.signatures = append(d.signatures, describedSignature{name: s.Name, feeds: ports(s.Feeds), fetches: ports(s.Fetches)})
	}
	return d, nil
}

// batch is the proposed name for the first size of feeds.
const batch = "batch"

// proposed returns pairs of a feed and its proposed shape, for all feeds whose first dimension is
// unknown. In these shapes, the first dimension has the name batch. A pair has the key of the feed.
// If feeds of different signatures have the same key, the pair has the name of the tensor instead.
func proposed(p *graphc.Program) [][2]string {
	keys := map[string]string{} // tensor of each feed key, or "" if several tensors have this key
	for _, s := range p.Signatures() {
		for i := range s.Feeds {
			f := &s.Feeds[i]
			if other, ok := keys[f.Key]; ok && other != f.Name {
				keys[f.Key] = ""
				continue
			}
			keys[f.Key] = f.Name
		}
	}
	var out [][2]string
	for _, s := range p.Signatures() {
		for i := range s.Feeds {
			f := &s.Feeds[i]
			if f.AnyRank || f.Unused || len(f.Shape) == 0 || f.Shape[0] >= 0 {
				continue
			}
			dims := []string{batch}
			for a := range f.Shape[1:] {
				dims = append(dims, f.Dim(a+1))
			}
			x := [2]string{f.Key, strings.Join(dims, ",")}
			if f.Key == "" || keys[f.Key] == "" {
				x[0] = strings.TrimSuffix(f.Name, ":0")
			}
			if !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	}
	return out
}

// keyed returns feeds or fetches as texts of the form key=tensor, as in the flags --feed and
// --fetch.
func keyed(ports []describedPort) []string {
	var out []string
	for _, p := range ports {
		out = append(out, p.key+"="+p.tensor)
	}
	return out
}
