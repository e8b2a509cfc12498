// Command notices writes THIRD_PARTY_NOTICES. The file consists of material.txt, which is written
// by hand, the licence of Go, and the licences of the modules that are linked into the command
// graphc.
//
//	go run ./internal/notices --root .
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed material.txt
var material string

const output = "THIRD_PARTY_NOTICES"

// platforms are the values of GOOS that the command is built for.
var platforms = []string{"linux", "darwin", "windows"}

func main() {
	root := flag.String("root", ".", "the repository")
	flag.Parse()
	text, err := write(*root)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*root, output), []byte(text), 0o666); err != nil {
		log.Fatal(err)
	}
}

// write returns the text of THIRD_PARTY_NOTICES.
func write(root string) (string, error) {
	all, err := modules(root)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(material)
	heading := "The command graphc: modules"
	fmt.Fprintf(&b, "\n%s\n%s\n", heading, strings.Repeat("-", len(heading)))
	for _, m := range all {
		files, err := licences(m.dir)
		if err != nil {
			return "", fmt.Errorf("%s: %w", m.path, err)
		}
		for i, text := range files {
			if i == 0 {
				kind, err := kindOf(text)
				if err != nil {
					return "", fmt.Errorf("%s: %w", m.path, err)
				}
				fmt.Fprintf(&b, "\n== %s (%s)\n", strings.TrimSpace(m.path+" "+m.version), kind)
			}
			fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(strings.ReplaceAll(text, "\r", "")))
		}
	}
	return b.String(), nil
}

// module is a module that is linked into the command graphc.
type module struct{ path, version, dir string }

// modules returns Go's standard library, then the modules that are linked into the command on any
// platform, in the order of their paths.
func modules(root string) ([]module, error) {
	out, err := command(root, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	var found []module
	for _, goos := range platforms {
		format := "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}"
		list, err := command(root, []string{"GOOS=" + goos, "CGO_ENABLED=0"}, "go", "list", "-deps", "-f", format, "./cmd/graphc")
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(list) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			if len(f) == 3 {
				found = append(found, module{f[0], f[1], f[2]})
			}
		}
	}
	slices.SortFunc(found, func(a, b module) int { return strings.Compare(a.path, b.path) })
	found = slices.Compact(found)
	return append([]module{{path: "Go standard library", dir: strings.TrimSpace(out)}}, found...), nil
}

// command runs a command in a folder and returns what it prints.
func command(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", cmd, err)
	}
	return string(out), nil
}

// licences returns the texts of a module's licence and notice files, the licence first.
func licences(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, prefix := range []string{"LICENSE", "COPYING", "NOTICE", "PATENTS"} {
		for _, e := range entries {
			if e.IsDir() || !strings.HasPrefix(strings.ToUpper(e.Name()), prefix) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			texts = append(texts, string(text))
		}
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("%s has no licence file", dir)
	}
	return texts, nil
}

// kindOf returns the SPDX name of a licence. An unknown licence is an error, because a person must
// then decide whether graphc may be linked with the module.
func kindOf(text string) (string, error) {
	text = strings.Join(strings.Fields(text), " ")
	switch has := func(part string) bool { return strings.Contains(text, part) }; {
	case has("Apache License Version 2.0"):
		return "Apache-2.0", nil
	case has("Permission is hereby granted, free of charge"):
		return "MIT", nil
	case has("Redistribution and use in source and binary forms") && has("endorse or promote products"):
		return "BSD-3-Clause", nil
	case has("Redistribution and use in source and binary forms"):
		return "BSD-2-Clause", nil
	}
	return "", fmt.Errorf("unknown licence: %.80s", text)
}
