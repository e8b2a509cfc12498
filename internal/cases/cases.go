// Package cases reads folders with a graph, its feeds and TensorFlow's results, and compares
// tensors within tolerances.
package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/tensor"
)

// Run is one call of a case. The lists keep the caller's order.
type Run struct {
	Feeds, Fetches, Targets []string // names of tensors; for Targets, of nodes
	FeedsFile, FetchesFile  string   // npz files in the case's folder; FetchesFile may be "" in a case that expects an error
}

// Same reports whether r and o have the same feeds, fetches and targets.
func (r Run) Same(o Run) bool {
	return slices.Equal(r.Feeds, o.Feeds) && slices.Equal(r.Fetches, o.Fetches) && slices.Equal(r.Targets, o.Targets)
}

// StringTensor is a DT_STRING tensor of a case.
type StringTensor struct {
	Shape []int    `json:"shape"`
	Elems [][]byte `json:"base64"`
}

// Structure lists conditions on the optimized graph.
type Structure struct {
	MaxNodesAfter *int     `json:"max_nodes_after"`
	AbsentOps     []string `json:"absent_ops"`
	PresentOps    []string `json:"present_ops"`
	// MaxCount and MinCount bound the number of nodes with an op; MaxInputs bounds the number of
	// inputs of each such node. The keys are ops.
	MaxCount  map[string]int `json:"max_count"`
	MinCount  map[string]int `json:"min_count"`
	MaxInputs map[string]int `json:"max_inputs"`
	// MaxConstantBytes bounds every constant; nil is unbounded.
	MaxConstantBytes *int `json:"max_constant_bytes"`
	// FusedElementwise reports whether nodes that share one loop over the data are counted as one
	// node.
	FusedElementwise bool `json:"fused_elementwise"`
	// OutsideLoop are ops that no loop may contain.
	OutsideLoop []string `json:"outside_loop"`
}

// Case is one folder. If Err is set, only Dir, Path and Rel are valid.
type Case struct {
	Dir        string // the folder
	Path       string // the path to show in messages: Dir, or the path of an archive followed by the path in the archive
	Rel        string // Path relative to the directory that was searched, with slashes; the base name for that directory itself
	Name       string
	Origin     string
	Signature  string // of a SavedModel
	ModelPath  string // graph.pb, graph.pbtxt or saved_model
	ConfigPath string // config.pbtxt, or empty
	Runs       []Run
	DTypes     map[string]string // tensor name → name of the type, such as DT_FLOAT; package tensor lacks some of these types
	Strings    map[string]StringTensor
	RTol, ATol float64
	ExpectErr  bool
	ErrCode    tensor.Code
	ErrWhen    string // compile or run
	ErrWhy     string
	Features   []string
	Devices    []string // devices of the session, if it had more than one CPU
	Structure  *Structure

	Err error // the error of case.json or of the folder; nil for a valid case
}

// Has reports whether the case is tagged with feature.
func (c *Case) Has(feature string) bool { return slices.Contains(c.Features, feature) }

// Shared returns the folder of shared material, $GRAPHC_SHARED, or "" if that is not set.
func Shared() string { return os.Getenv("GRAPHC_SHARED") }

// Find returns every case in or below dirs, in the order of dirs and then of paths. A dir may be a
// folder or a zip archive. An archive x.zip in a folder is treated as if its case folders were in
// that folder. A folder with an unreadable case.json is returned with Err set. A directory that
// cannot be walked, or an archive that cannot be unpacked, is an error.
func Find(dirs []string) ([]*Case, error) {
	var out []*Case
	for _, root := range dirs {
		n := len(out)
		var err error
		if out, err = find(out, root, root, ""); err != nil {
			return nil, err
		}
		if len(out) == n {
			return nil, fmt.Errorf("%s: no case.json in or below it", root)
		}
		slices.SortStableFunc(out[n:], func(a, b *Case) int { return strings.Compare(a.Rel, b.Rel) })
	}
	return out, nil
}

// find appends the cases in or below root, which is a folder or an archive. In the field Path of each
// case, a path for messages (shown) replaces root. The field Rel of each case is the parameter
// prefix, followed by the path of the case relative to root.
func find(out []*Case, root, shown, prefix string) ([]*Case, error) {
	if isArchive(root) {
		dir, err := unpacked(root)
		if err != nil {
			return out, err
		}
		return find(out, dir, shown, prefix)
	}
	// If root is a symbolic link, the walk enters it only because of the separator at the end.
	err := filepath.WalkDir(root+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path = filepath.Clean(path)
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if !d.IsDir() {
			if isArchive(path) {
				out, err = find(out, path, filepath.Join(shown, rel), prefix+slashed(filepath.Dir(rel)))
			}
			return err
		}
		if _, err := os.Stat(filepath.Join(path, "case.json")); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		full := filepath.Join(shown, rel)
		if rel == "." {
			abs, err := filepath.Abs(shown)
			if err != nil {
				return err
			}
			rel = filepath.Base(abs)
		}
		out = append(out, load(path, full, prefix+filepath.ToSlash(rel)))
		return fs.SkipDir
	})
	return out, err
}

// slashed returns the text with which the relative paths of files in dir begin: dir and a slash, or
// "" for ".".
func slashed(dir string) string {
	if dir == "." {
		return ""
	}
	return filepath.ToSlash(dir) + "/"
}

func isArchive(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && filepath.Ext(path) == ".zip"
}

// Load reads the one case in dir.
func Load(dir string) (*Case, error) {
	c := load(dir, dir, filepath.Base(filepath.Clean(dir)))
	return c, c.Err
}

type caseJSON struct {
	Name      string `json:"name"`
	Origin    string `json:"origin"`
	Signature string `json:"signature"`
	Runs      []struct {
		Feeds   string   `json:"feeds"`
		Fetches string   `json:"fetches"`
		Targets []string `json:"targets"`
		Names   struct {
			Feeds   []string `json:"feeds"`
			Fetches []string `json:"fetches"`
		} `json:"names"`
	} `json:"runs"`
	DTypes  map[string]string       `json:"dtypes"`
	Strings map[string]StringTensor `json:"strings"`
	RTol    float64                 `json:"rtol"`
	ATol    float64                 `json:"atol"`
	Expect  string                  `json:"expect"`
	Error   struct {
		Code string `json:"code"`
		When string `json:"when"`
		Why  string `json:"why"`
	} `json:"error"`
	Features  []string   `json:"features"`
	Devices   []string   `json:"devices"`
	Structure *Structure `json:"structure"`
}

func load(dir, path, rel string) *Case {
	c, err := parse(dir)
	if err != nil {
		return &Case{Dir: dir, Path: path, Rel: rel, Err: files.In(filepath.Join(path, "case.json"), err)}
	}
	c.Dir, c.Path, c.Rel = dir, path, rel
	return c
}

// maxCase bounds case.json.
const maxCase = 256 << 20

func parse(dir string) (*Case, error) {
	data, err := files.ReadFile(filepath.Join(dir, "case.json"), maxCase)
	if err != nil {
		return nil, err
	}
	var j caseJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, err
	}
	c := &Case{Name: j.Name, Origin: j.Origin, Signature: j.Signature, DTypes: j.DTypes, Strings: j.Strings,
		RTol: j.RTol, ATol: j.ATol, Features: j.Features, Devices: j.Devices, Structure: j.Structure}
	switch j.Expect {
	case "outputs", "":
	case "error":
		code, ok := parseCode(j.Error.Code)
		if !ok {
			return nil, fmt.Errorf("unknown error code %q", j.Error.Code)
		}
		if j.Error.When != "compile" && j.Error.When != "run" {
			return nil, fmt.Errorf("error.when is %q, not compile or run", j.Error.When)
		}
		c.ExpectErr, c.ErrCode, c.ErrWhen, c.ErrWhy = true, code, j.Error.When, j.Error.Why
	default:
		return nil, fmt.Errorf("expect is %q, not outputs or error", j.Expect)
	}
	if len(j.Runs) == 0 {
		return nil, errors.New("no runs")
	}
	for i, r := range j.Runs {
		for _, f := range []string{r.Feeds, r.Fetches} {
			if f != "" && !filepath.IsLocal(f) {
				return nil, fmt.Errorf("run %d: %q is outside the case's folder", i, f)
			}
		}
		if r.Feeds == "" && len(r.Names.Feeds) > 0 {
			return nil, fmt.Errorf("run %d: feeds are named, but their file is missing", i)
		}
		if r.Fetches == "" && !c.ExpectErr {
			return nil, fmt.Errorf("run %d: the file of the fetches is missing", i)
		}
		c.Runs = append(c.Runs, Run{Feeds: r.Names.Feeds, Fetches: r.Names.Fetches, Targets: r.Targets,
			FeedsFile: r.Feeds, FetchesFile: r.Fetches})
	}
	if err := c.findModel(dir); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Case) findModel(dir string) error {
	var found []string
	for _, name := range []string{"graph.pb", "graph.pbtxt", "saved_model"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			found = append(found, name)
		}
	}
	if len(found) != 1 {
		return fmt.Errorf("want exactly one of graph.pb, graph.pbtxt and saved_model, found: %s", strings.Join(found, ", "))
	}
	c.ModelPath = filepath.Join(dir, found[0])
	if p := filepath.Join(dir, "config.pbtxt"); found[0] != "saved_model" {
		if _, err := os.Stat(p); err == nil {
			c.ConfigPath = p
		}
	}
	return nil
}

func parseCode(s string) (tensor.Code, bool) {
	for c := tensor.Cancelled; c <= tensor.Unauthenticated; c++ {
		if c.String() == s {
			return c, true
		}
	}
	return 0, false
}
