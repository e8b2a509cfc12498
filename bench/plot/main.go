// Plot draws the measurements of graphc bench --peers --out. The pictures ratios-THREADS.svg show,
// for every case, graphc's time divided by each peer's time. The pictures
// growth-MODEL-AXIS-THREADS.svg show the curves of cases that differ in one size.
//
//	plot --out DIR results.json…
//
// With --doc FILE it also puts tables and pictures into a Markdown file.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/graphc/graphc/internal/benchreport"
)

func main() {
	out := flag.String("out", ".", "folder for the pictures")
	format := flag.String("format", "svg", "svg, png or pdf")
	doc := flag.String("doc", "", "Markdown file with the sections models and growth")
	alone := flag.String("alone", "", "file with the section alone of --doc")
	flag.Parse()
	err := run(*out, "."+*format, *doc, flag.Args())
	if err == nil && *alone != "" && *doc != "" {
		err = insertFile(*doc, "alone", *alone)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "plot:", err)
		os.Exit(1)
	}
}

func run(out, format, doc string, files []string) error {
	if len(files) == 0 {
		return fmt.Errorf("usage: plot --out DIR results.json…")
	}
	var models, growth []string
	var cases []*benchreport.Case
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var cs []*benchreport.Case
		if err := json.Unmarshal(data, &cs); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		cases = append(cases, cs...)
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	var single []*benchreport.Case
	for _, c := range cases {
		if c.Sweep == nil && c.Error == "" {
			single = append(single, c)
		}
	}
	for _, n := range benchreport.Counts(single) {
		p, err := ratios(single, n)
		if err != nil {
			return err
		}
		if p == nil {
			continue
		}
		models = append(models, filepath.Join(out, "ratios-"+n+format))
		if err := p.save(models[len(models)-1]); err != nil {
			return err
		}
	}
	for _, cv := range curves(cases) {
		p, err := cv.draw()
		if err != nil {
			return err
		}
		growth = append(growth, filepath.Join(out, cv.file()+format))
		if err := p.save(growth[len(growth)-1]); err != nil {
			return err
		}
	}
	if doc == "" {
		return nil
	}
	return insert(doc, single, models, growth)
}
