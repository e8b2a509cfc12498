package bench

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/ir"
)

// unreadFeeds returns the feeds of the case's first run that no fetch or target needs. The peers,
// which are other runtimes, need the model in other formats. The converters to these formats reject
// such feeds.
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

// peersCase returns the folder of a case without unread feeds, for the peers. This is the folder of
// c if c has no unread feeds. Otherwise, it is a copy of the case below the folder cache.
func peersCase(c *cases.Case, cache string) (string, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return "", err
	}
	unread, err := unreadFeeds(c)
	if err != nil || len(unread) == 0 {
		return dir, err
	}
	if cache, err = cacheFor(dir, cache); err != nil {
		return "", err
	}
	r := c.Runs[0]
	r.Feeds = slices.DeleteFunc(slices.Clone(r.Feeds), func(name string) bool { return slices.Contains(unread, name) })
	return cache, deriveCase(dir, cache, r)
}

// onlyRun copies the cases into folders below the folder cache. Each copy has only one run, which
// is run number n of the case. onlyRun returns the copies.
func onlyRun(cs []*cases.Case, n int, cache string) ([]*cases.Case, error) {
	var out []*cases.Case
	for _, c := range cs {
		if c.Err != nil {
			out = append(out, c)
			continue
		}
		if n >= len(c.Runs) {
			return nil, base.Usagef("--run: %s has %s, counted from 0", c.Dir, base.Plural(len(c.Runs), "run"))
		}
		dir, err := filepath.Abs(c.Dir)
		if err != nil {
			return nil, err
		}
		folder, err := cacheFor(fmt.Sprintf("%s run %d", dir, n), cache)
		if err != nil {
			return nil, err
		}
		folder = filepath.Join(filepath.Dir(folder), filepath.Base(dir))
		if err := deriveCase(dir, folder, c.Runs[n]); err != nil {
			return nil, err
		}
		d, err := cases.Load(folder)
		if err != nil {
			return nil, err
		}
		d.Rel = fmt.Sprintf("%s, run %d", c.Rel, n)
		out = append(out, d)
	}
	return out, nil
}

// cacheFor returns the path of a folder for data that is derived from a case. The parameter key
// identifies the data, and begins with the path of the case. The returned path ends in the last path
// element of the key. The folder is below the folder in the parameter cache or, if this parameter is
// "", below the user's cache folder.
func cacheFor(key, cache string) (string, error) {
	var err error
	if cache == "" {
		if cache, err = os.UserCacheDir(); err != nil {
			return "", err
		}
		cache = filepath.Join(cache, "graphc-peers")
	}
	if cache, err = filepath.Abs(cache); err != nil {
		return "", err
	}
	return filepath.Join(cache, "cases", fmt.Sprintf("%x", sha256.Sum256([]byte(key)))[:12], filepath.Base(key)), nil
}

// deriveCase copies a case from the folder dir to the folder in the second argument. The only run
// of the copy is r.
func deriveCase(dir, out string, r cases.Run) error {
	text, err := os.ReadFile(filepath.Join(dir, "case.json"))
	if err != nil {
		return err
	}
	var j map[string]any
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	j["runs"] = []any{map[string]any{"feeds": r.FeedsFile, "fetches": r.FetchesFile, "targets": r.Targets,
		"names": map[string]any{"feeds": r.Feeds, "fetches": r.Fetches}}}
	if text, err = json.MarshalIndent(j, "", " "); err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.Name() == "case.json" {
			continue
		}
		if err := os.Symlink(filepath.Join(dir, f.Name()), filepath.Join(out, f.Name())); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(out, "case.json"), text, 0o666)
}
