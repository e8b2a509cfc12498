package tune

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/config"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/files"
)

// keepMethods stores the methods of a model's convolutions in the configuration file and preserves
// the file's comments. If the file does not list the model, keepMethods prints the lines that the
// user can add.
func keepMethods(out io.Writer, file string, paths []string, methods map[string]lower.Method) error {
	k, err := listed(file, paths)
	if err != nil {
		return err
	}
	if k < 0 {
		if len(methods) == 0 {
			return nil
		}
		text, err := yaml.Marshal(map[string]any{"methods": methods})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "# for %s\n%s", config.FileName, text)
		return err
	}
	f, err := parser.ParseFile(file, parser.ParseComments)
	if err != nil {
		return err
	}
	if err := setMethods(f, k, methods); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	text := []byte(f.String())
	if n := len(text); n == 0 || text[n-1] != '\n' {
		text = append(text, '\n')
	}
	if _, err := config.Parse(file, text); err != nil {
		return fmt.Errorf("the new %s would be invalid: %w", file, err)
	}
	return files.WriteWhole(file, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// listed returns the index of the model with these paths in the configuration file. It returns -1
// if the file does not exist or does not list the model.
func listed(file string, paths []string) (int, error) {
	c, err := config.Load(file)
	if os.IsNotExist(err) {
		return -1, nil
	}
	if err != nil {
		return -1, &base.CodeError{Code: base.ExitUsage, Err: err}
	}
	want := make([]string, len(paths))
	for i, p := range paths {
		if want[i], err = filepath.Abs(p); err != nil {
			return -1, err
		}
	}
	for k, m := range c.Models {
		var have []string
		for _, p := range m.Path {
			full, err := filepath.Abs(c.Resolve(p))
			if err != nil {
				return -1, err
			}
			have = append(have, full)
		}
		if slices.Equal(have, want) {
			return k, nil
		}
	}
	return -1, nil
}

// setMethods replaces the key "methods" of model number k in the configuration file f.
func setMethods(f *ast.File, k int, methods map[string]lower.Method) error {
	path, err := yaml.PathString(fmt.Sprintf("$.models[%d]", k))
	if err != nil {
		return err
	}
	n, err := path.FilterFile(f)
	if err != nil {
		return err
	}
	m, ok := n.(*ast.MappingNode)
	if !ok {
		return fs.ErrInvalid
	}
	m.Values = slices.DeleteFunc(m.Values, func(v *ast.MappingValueNode) bool { return v.Key.String() == "methods" })
	if len(methods) == 0 {
		return nil
	}
	node, err := yaml.ValueToNode(map[string]any{"methods": methods})
	if err != nil {
		return err
	}
	return path.MergeFromNode(f, node)
}

// methodsOf converts methods to the root package's type.
func methodsOf(byNode map[string]lower.Method) map[string]graphc.Method {
	out := map[string]graphc.Method{}
	for node, m := range byNode {
		out[node] = graphc.Method(m)
	}
	return out
}
