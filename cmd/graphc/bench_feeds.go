package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/ir"
)

// unreadFeeds returns the feeds of the case's first run that its fetches do not
// need. Converters for the peers refuse to be given them.
func unreadFeeds(c *cases.Case) ([]string, error) {
	m, err := frontend.Load([]string{c.ModelPath}, frontend.Options{Config: c.ConfigPath})
	if err != nil {
		return nil, err
	}
	r := c.Runs[0]
	fed := map[ir.Out]string{}
	for _, name := range r.Feeds {
		o, err := m.Graph.Lookup(name)
		if err != nil {
			return nil, err
		}
		fed[o] = name
	}
	read := map[string]bool{}
	seen := map[*ir.Node]bool{}
	var todo []ir.Out
	for _, name := range slices.Concat(r.Fetches, r.Targets) {
		o, err := m.Graph.Lookup(name)
		if err != nil {
			return nil, err
		}
		todo = append(todo, o)
	}
	for len(todo) > 0 {
		o := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if name, ok := fed[o]; ok {
			read[name] = true
			continue
		}
		if o.Node == nil || seen[o.Node] {
			continue
		}
		seen[o.Node] = true
		todo = append(todo, o.Node.Ins...)
		for _, n := range o.Node.Controls {
			todo = append(todo, ir.Out{Node: n})
		}
	}
	var unread []string
	for _, name := range r.Feeds {
		if !read[name] {
			unread = append(unread, name)
		}
	}
	return unread, nil
}

// peersCase returns the folder of a case that peers take: the case's own, or one
// below cache with the same files and without the feeds that nothing reads.
func peersCase(c *cases.Case, cache string) (string, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return "", err
	}
	unread, err := unreadFeeds(c)
	if err != nil || len(unread) == 0 {
		return dir, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "case.json"))
	if err != nil {
		return "", err
	}
	var j map[string]any
	if err := json.Unmarshal(text, &j); err != nil {
		return "", err
	}
	var feeds []string
	for _, name := range c.Runs[0].Feeds {
		if !slices.Contains(unread, name) {
			feeds = append(feeds, name)
		}
	}
	r := c.Runs[0]
	j["runs"] = []any{map[string]any{"feeds": r.FeedsFile, "fetches": r.FetchesFile, "targets": r.Targets,
		"names": map[string]any{"feeds": feeds, "fetches": r.Fetches}}}
	if text, err = json.MarshalIndent(j, "", " "); err != nil {
		return "", err
	}
	if cache == "" {
		if cache, err = os.UserCacheDir(); err != nil {
			return "", err
		}
		cache = filepath.Join(cache, "graphc-peers")
	}
	if cache, err = filepath.Abs(cache); err != nil {
		return "", err
	}
	out := filepath.Join(cache, "cases", fmt.Sprintf("%x", sha256.Sum256([]byte(dir)))[:12], filepath.Base(dir))
	if err := os.RemoveAll(out); err != nil {
		return "", err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return "", err
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, f := range files {
		if f.Name() == "case.json" {
			continue
		}
		if err := os.Symlink(filepath.Join(dir, f.Name()), filepath.Join(out, f.Name())); err != nil {
			return "", err
		}
	}
	return out, os.WriteFile(filepath.Join(out, "case.json"), text, 0o666)
}
