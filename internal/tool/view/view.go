package view

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/internal/tool/history"
	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/trace"
)

// Page writes a page that shows a model. The parameter out is the name of the file to write. If it is
// "-", Page writes to the app's output. If it is empty, Page derives a file name from the model's name.
// Page does not overwrite a file that graphc view has not written.
//
// If the model does not compile, the page shows the error and the graph up to the last pass that
// succeeded, and Page returns the error.
func Page(ctx context.Context, a *base.App, paths []string, f flags.Model, out string) error {
	if out == "" {
		out = fileName(paths[0])
	}
	if err := mayWrite(out); err != nil {
		return err
	}
	p, failed := pageOf(ctx, a, paths, f)
	if p == nil {
		return base.WrapModel(paths, failed)
	}
	if out == "-" {
		return errors.Join(p.write(a.Out), base.WrapModel(paths, failed))
	}
	if err := files.WriteWhole(out, p.write); err != nil {
		return err
	}
	if failed != nil {
		return fmt.Errorf("%w\n%s shows the graph as far as the passes went", base.WrapModel(paths, failed), out)
	}
	fmt.Fprintln(a.Err, "wrote "+out)
	return nil
}

// pageOf compiles a model and returns its page. The page is nil if there is nothing to show. If pageOf
// returns a page and an error, the error says why the model does not compile.
func pageOf(ctx context.Context, a *base.App, paths []string, f flags.Model) (*page, error) {
	o, err := f.Options()
	if err != nil {
		return nil, err
	}
	profile, err := f.Profile()
	if err != nil {
		return nil, err
	}
	o.Context = ctx
	bar := a.NewBar(-1, paths[0])
	defer bar.Close()
	r := newRecorder(filepath.Base(filepath.Clean(paths[0])))
	r.pass = func(name string) {
		bar.Describe(paths[0] + ": " + name)
		bar.Add(1)
	}
	h, p, failed := history.Compile(paths, o, r.note)
	if len(h.All) == 0 || ctx.Err() != nil {
		return nil, failed
	}
	if failed != nil {
		r.page.Error = failed.Error()
	}
	bar.Describe(paths[0] + ": page")
	return r.whole(h, p, profile), failed
}

// whole adds the records of all signatures to the page, and returns the finished page. The argument p is
// nil if the model does not compile.
func (r *recorder) whole(h *history.Recorder, p *pipeline.Program, profile *trace.Profile) *page {
	all := slices.Clone(h.All)
	if i := slices.IndexFunc(all, func(x *history.History) bool { return x.Signature == pipeline.InitName }); i >= 0 && len(all) > 1 {
		start := all[i]
		if all = slices.Delete(all, i, i+1); p == nil || p.Init != nil {
			all = append(all, start) // the initialisation comes last, and is left out if it does nothing
		}
	}
	for _, x := range all {
		sig := r.finish(x)
		s := history.SignatureOf(p, x.Signature)
		r.fates(sig, x, s)
		sig.Time = r.times(profile, x, s)
		r.page.Signatures = append(r.page.Signatures, sig)
	}
	r.kinds()
	r.docs()
	return r.page
}

// fileName returns the name of the page of a model: the model's name with the suffix .html.
func fileName(model string) string {
	name := model
	if abs, err := filepath.Abs(model); err == nil {
		name = abs
	}
	name = filepath.Base(name)
	if st, err := os.Stat(model); err != nil || !st.IsDir() {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	return base.Or(name, "model") + ".html"
}

// mark is a text in the first bytes of each page. It shows that graphc view has written the file.
const mark = `<meta name="generator" content="graphc view">`

// mayWrite returns an error if a file of that name exists and is neither empty nor a page of graphc view.
func mayWrite(name string) error {
	st, err := os.Stat(name)
	if name == "-" || errors.Is(err, fs.ErrNotExist) || err == nil && (!st.Mode().IsRegular() && !st.IsDir() || st.Size() == 0) {
		return nil
	}
	if err == nil && st.IsDir() {
		err = fmt.Errorf("%s is a folder", name)
	}
	if err != nil {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if !bytes.Contains(head[:n], []byte(mark)) {
		return fmt.Errorf("%s exists and is not a page of graphc view: remove it, or choose another name with -o", name)
	}
	return nil
}

// pageFiles are the page's parts.
//
//go:embed page
var pageFiles embed.FS

// scripts are the page's scripts, in the order in which the page contains them. The last script starts the
// page.
var scripts = []string{"data.js", "tree.js", "layout.js", "draw.js", "ui.js", "node.js", "panels.js", "search.js", "events.js", "main.js"}

// part returns the contents of an embedded file of the page, such as "page.css".
func part(name string) string {
	text, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		panic(err) // cannot happen: the file is embedded
	}
	return string(text)
}

// write writes the page. JSON escapes <, > and &, so that no text of the model ends the element that holds the data.
func (p *page) write(w io.Writer) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n%s\n", mark)
	fmt.Fprintf(&b, "<meta name=\"viewport\" content=\"width=device-width\">\n<title>%s</title>\n", html.EscapeString(p.Model))
	fmt.Fprintf(&b, "<style>\n%s</style>\n</head>\n<body>\n%s", part("page.css"), part("page.html"))
	fmt.Fprintf(&b, "<script type=\"application/json\" id=\"data\">%s</script>\n", data)
	b.WriteString("<script>\n\"use strict\";\n(function () {\n")
	for _, name := range scripts {
		b.WriteString(part(name))
	}
	b.WriteString("})();\n</script>\n</body>\n</html>\n")
	_, err = w.Write(b.Bytes())
	return err
}
