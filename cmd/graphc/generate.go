package main

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

	"github.com/spf13/cobra"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/config"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/files"
)

func newGenerate(a *app) *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "generate",
		Short: "Build what graphc.yaml lists",
		Long: `generate builds the packages that graphc.yaml in the current folder lists. It
is also what graphc does without arguments in such a folder, so that

	//go:generate go tool graphc

needs no flags. All models are compiled before anything is written.`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return a.generateAll(c.Context(), file) },
	}
	c.Flags().StringVarP(&file, "file", "f", config.FileName, "the configuration")
	return c
}

func newCheck(a *app) *cobra.Command {
	var file string
	var strict bool
	c := &cobra.Command{
		Use:   "check",
		Short: "Report generated files that are stale",
		Long: `check compiles what graphc.yaml lists and names the files that "graphc generate"
would write or remove. Exit status 4 when there are any. The version in the
first line does not count, unless --strict is given.`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return a.checkAll(c.Context(), file, strict) },
	}
	c.Flags().StringVarP(&file, "file", "f", config.FileName, "the configuration")
	c.Flags().BoolVar(&strict, "strict", false, "compare graphc's version, too")
	return c
}

// specs turns the configuration into what to build.
func specs(c *config.Config) (_ []buildSpec, err error) {
	var out []buildSpec
	var ops spec
	if err := ops.setGoOps(c); err != nil {
		return nil, err
	}
	if len(c.Models) == 0 {
		return nil, usagef("%s: no model is listed", c.Path)
	}
	for _, m := range c.Models {
		s := buildSpec{listed: true, dir: c.Resolve(or(m.Out, ".")), pkg: m.Package, main: m.Main, runtime: or(m.Runtime, "auto"), omitVersion: c.OmitVersion,
			spec: ops}
		s.load.Config, s.load.Checkpoint, s.load.Tags = c.Resolve(m.Config), c.Resolve(m.Checkpoint), m.Tags
		s.opts = graphc.Options{Signatures: m.Signatures, Feeds: m.Feeds, Fetches: m.Fetches, Targets: m.Targets, Init: m.Init, Connect: m.Connect, Partial: m.Partial}
		if _, err := pipeline.DeviceNames(m.Devices); err != nil {
			return nil, usagef("%s: devices: %w", c.Path, err)
		}
		if m.SessionConfig != "" {
			if err := s.opts.ReadSessionConfig(c.Resolve(m.SessionConfig), logTo(os.Stderr)); err != nil {
				return nil, err
			}
		}
		if len(m.Devices) > 0 {
			s.opts.Devices = m.Devices
		}
		if m.SoftPlacement != nil {
			s.opts.SoftPlacement = *m.SoftPlacement
		}
		if m.PlacePruned != nil {
			s.opts.PlaceWhole = !*m.PlacePruned
		}
		for _, p := range m.Path {
			s.paths = append(s.paths, c.Resolve(p))
		}
		if s.opts.Shapes, err = shapesOf(m.Shapes); err != nil {
			return nil, usagef("%s: %w", c.Path, err)
		}
		for _, call := range m.Calls {
			shapes, err := shapesOf(call.Shapes)
			if err != nil {
				return nil, usagef("%s: calls: %s: %w", c.Path, call.Name, err)
			}
			s.opts.Calls = append(s.opts.Calls, graphc.Call{Name: call.Name, Feeds: call.Feeds, Fetches: call.Fetches, Targets: call.Targets, Shapes: shapes, Partial: call.Partial})
		}
		s.cubin.processors = m.Cubin
		if m.Passes != nil {
			s.opts.NoOptimize, s.opts.Fuel = m.Passes.NoOpt, m.Passes.Fuel
		}
		limits := ir.Limits(s.opts.Limits)
		if err := m.Limits.Set(&limits); err != nil {
			return nil, usagef("%s: %w", c.Path, err)
		}
		s.opts.Limits = graphc.Limits(limits)
		s.load.Limits = s.opts.Limits
		s.opts.ExactConv, s.opts.Watch, s.opts.CheckNumerics, s.opts.AllowFiles = m.ExactConv, m.Watch, m.CheckNumerics, m.AllowFiles
		if s.opts.Profile, err = readProfile(c.Resolve(m.Profile)); err != nil {
			return nil, err
		}
		if s.opts.Methods, err = checkedMethods(m.Methods); err != nil {
			return nil, usagef("%s: %w", c.Path, err)
		}
		s.opts.Weights = graphc.Weights(m.Weights)
		out = append(out, s)
	}
	return out, nil
}

// shapesOf reads the shapes of feeds, nil where there are none.
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

// compileAll compiles everything that the configuration lists.
func (a *app) compileAll(ctx context.Context, file string) ([]*generated, error) {
	c, err := config.Load(file)
	if err != nil {
		return nil, &codeError{exitUsage, err}
	}
	list, err := specs(c)
	if err != nil {
		return nil, err
	}
	var out []*generated
	var errs []error
	for _, s := range list {
		g, err := a.generate(ctx, s)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, g)
	}
	return out, errors.Join(errs...)
}

func (a *app) generateAll(ctx context.Context, file string) error {
	all, err := a.compileAll(ctx, file)
	if err != nil {
		return err
	}
	for _, g := range all {
		if err := a.apply(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) checkAll(ctx context.Context, file string, strict bool) error {
	all, err := a.compileAll(ctx, file)
	if err != nil {
		return err
	}
	stale := false
	say := func(g *generated, verb, name string) {
		stale = true
		fmt.Fprintf(a.out, "%s %s\n", verb, filepath.Join(g.spec.dir, filepath.FromSlash(name)))
	}
	for _, g := range all {
		for _, name := range g.plan.Write {
			old, err := files.ReadFile(filepath.Join(g.spec.dir, filepath.FromSlash(name)), 1<<31)
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
		return &codeError{exitStale, errors.New("generated files are stale: run graphc generate")}
	}
	return nil
}

var versionLine = regexp.MustCompile(`(?m)\A// Code generated by graphc \S+\. DO NOT EDIT\.$`)

// dropVersion takes graphc's version out of a file's first line.
func dropVersion(data []byte) []byte {
	return versionLine.ReplaceAll(data, []byte("// Code generated by graphc. DO NOT EDIT."))
}
