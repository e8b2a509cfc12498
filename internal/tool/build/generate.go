package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/config"
	"github.com/graphc/graphc/internal/emitdir"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/files"
)

// specs returns the packages that the configuration lists, with their options.
func specs(c *config.Config) (_ []Package, err error) {
	var out []Package
	var ops flags.Spec
	if err := ops.SetGoOps(c); err != nil {
		return nil, err
	}
	if len(c.Models) == 0 {
		return nil, base.Usagef("%s: models is empty", c.Path)
	}
	for _, m := range c.Models {
		s := Package{listed: true, Dir: c.Resolve(base.Or(m.Out, ".")), Pkg: m.Package, Main: m.Main, Runtime: base.Or(m.Runtime, "auto"), RuntimeDir: c.Resolve(c.RuntimeDir), Processors: m.Arch, Example: m.Example,
			OmitVersion: c.OmitVersion, Spec: ops}
		s.Load.Config, s.Load.Checkpoint, s.Load.Tags = c.Resolve(m.Config), c.Resolve(m.Checkpoint), m.Tags
		s.Opts = graphc.Options{Signatures: m.Signatures, Feeds: m.Feeds, Fetches: m.Fetches, Targets: m.Targets, Init: m.Init, Connect: m.Connect, Partial: m.Partial}
		if _, err := pipeline.DeviceNames(m.Devices); err != nil {
			return nil, base.Usagef("%s: devices: %w", c.Path, err)
		}
		if m.SessionConfig != "" {
			if err := s.Opts.ReadSessionConfig(c.Resolve(m.SessionConfig), flags.LogTo(os.Stderr)); err != nil {
				return nil, err
			}
		}
		if len(m.Devices) > 0 {
			s.Opts.Devices = m.Devices
		}
		if m.SoftPlacement != nil {
			s.Opts.SoftPlacement = *m.SoftPlacement
		}
		if m.PlacePruned != nil {
			s.Opts.PlaceWhole = !*m.PlacePruned
		}
		for _, p := range m.Path {
			s.Paths = append(s.Paths, c.Resolve(p))
		}
		if s.Opts.Shapes, err = shapesOf(m.Shapes); err != nil {
			return nil, base.Usagef("%s: %w", c.Path, err)
		}
		s.Opts.Names = namesOf(m.Names)
		for _, call := range m.Calls {
			shapes, err := shapesOf(call.Shapes)
			if err != nil {
				return nil, base.Usagef("%s: calls: %s: %w", c.Path, call.Name, err)
			}
			s.Opts.Calls = append(s.Opts.Calls, graphc.Call{Name: call.Name, Feeds: call.Feeds, Fetches: call.Fetches, Targets: call.Targets, Shapes: shapes, Partial: call.Partial})
		}
		s.Cubin.Processors = m.Cubin
		if m.Passes != nil {
			s.Opts.NoOptimize, s.Opts.Fuel = m.Passes.NoOpt, m.Passes.Fuel
		}
		limits := ir.Limits(s.Opts.Limits)
		if err := m.Limits.Set(&limits); err != nil {
			return nil, base.Usagef("%s: %w", c.Path, err)
		}
		s.Opts.Limits = graphc.Limits(limits)
		s.Load.Limits = s.Opts.Limits
		s.Opts.ExactConv, s.Opts.Watch, s.Opts.CheckNumerics, s.Opts.AllowFiles = m.ExactConv, m.Watch, m.CheckNumerics, m.AllowFiles
		if s.Opts.Profile, err = flags.ReadProfile(c.Resolve(m.Profile)); err != nil {
			return nil, err
		}
		if s.Opts.Methods, err = checkedMethods(m.Methods); err != nil {
			return nil, base.Usagef("%s: %w", c.Path, err)
		}
		s.Opts.Weights = graphc.Weights(m.Weights)
		out = append(out, s)
	}
	return out, nil
}

// shapesOf checks the shapes of feeds in graphc.yaml and returns them as text, or nil if the map is
// empty.
func shapesOf(m map[string]config.Sizes) (map[string]string, error) {
	var shapes map[string]string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if err := pipeline.CheckShape(name, string(m[name])); err != nil {
			return nil, fmt.Errorf("shapes.%s: %w", name, err)
		}
		if shapes == nil {
			shapes = map[string]string{}
		}
		shapes[name] = string(m[name])
	}
	return shapes, nil
}

// compileAll compiles all models in the configuration file. It returns the emitted packages, which
// are not written yet.
func compileAll(ctx context.Context, a *base.App, file string) ([]*generated, error) {
	c, err := config.Load(file)
	if err != nil {
		return nil, &base.CodeError{Code: base.ExitUsage, Err: err}
	}
	list, err := specs(c)
	if err != nil {
		return nil, err
	}
	var out []*generated
	var errs []error
	for i, s := range list {
		g, err := generate(ctx, a, s)
		if err != nil {
			errs = append(errs, placed(c, i, err))
			continue
		}
		out = append(out, g)
	}
	if len(errs) == 0 && c.RuntimeDir != "" {
		g, err := runtimeOf(c, out)
		if err != nil {
			return nil, err
		}
		out = append([]*generated{g}, out...) // the models' packages import this one, so it must be written first
	}
	return out, errors.Join(errs...)
}

// runtimeOf returns the files of the folder runtime_dir: one copy of the run time that all
// standalone packages share. The parameter all has these packages.
func runtimeOf(c *config.Config, all []*generated) (*generated, error) {
	dir := c.Resolve(c.RuntimeDir)
	o := &graphc.EmitOptions{Processors: []string{}}
	var packages []map[string][]byte
	for _, g := range all {
		if g.options.RunTime == "" {
			continue
		}
		packages = append(packages, g.files)
		o.RunTime, o.Version = g.options.RunTime, g.options.Version
		switch {
		case g.options.Processors == nil:
			o.Processors = nil
		case o.Processors != nil:
			o.Processors = append(o.Processors, g.options.Processors...)
		}
	}
	if len(packages) == 0 {
		return nil, base.Usagef("%s: runtime_dir is for standalone packages, but no model has one", c.Path)
	}
	files, err := graphc.RunTimeFiles(o, packages...)
	if err != nil {
		return nil, err
	}
	g := &generated{spec: Package{Dir: dir}, files: files}
	g.plan, err = emitdir.New(dir, files, "rt", "kernels")
	return g, err
}

// All compiles all models in the configuration file and writes their packages.
func All(ctx context.Context, a *base.App, file string) error {
	all, err := compileAll(ctx, a, file)
	if err != nil {
		return err
	}
	for _, g := range all {
		if err := apply(ctx, a, g); err != nil {
			return err
		}
	}
	return nil
}

// Check prints the names of the files that All would write or remove. Unless strict is set, it
// ignores files in which only graphc's version would change.
func Check(ctx context.Context, a *base.App, file string, strict bool) error {
	all, err := compileAll(ctx, a, file)
	if err != nil {
		return err
	}
	stale := false
	say := func(g *generated, verb, name string) {
		stale = true
		fmt.Fprintf(a.Out, "%s %s\n", verb, filepath.Join(g.spec.Dir, filepath.FromSlash(name)))
	}
	for _, g := range all {
		for _, name := range g.plan.Write {
			old, err := files.ReadFile(filepath.Join(g.spec.Dir, filepath.FromSlash(name)), 1<<31)
			switch {
			case err != nil:
				say(g, "missing", name)
			case strict || !bytes.Equal(dropVersion(old), dropVersion(g.files[name])):
				say(g, "stale", name)
			}
		}
		for _, name := range g.plan.Remove {
			say(g, "leftover", name)
		}
	}
	if stale {
		return &base.CodeError{Code: base.ExitStale, Err: errors.New("generated files are stale: run graphc generate")}
	}
	return nil
}

var versionLine = regexp.MustCompile(`(?m)\A// Code generated by graphc \S+\. DO NOT EDIT\.$`)

// dropVersion removes graphc's version from a file's first line.
func dropVersion(data []byte) []byte {
	return versionLine.ReplaceAll(data, []byte("// Code generated by graphc. DO NOT EDIT."))
}
