package program

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/npy"
	"github.com/graphc/graphc/rt/tensor"
)

// write prints the results or writes them to a file.
func (c *command) write(sig *rt.Signature, got map[string]*tensor.Tensor) error {
	format := c.format
	if format == "" {
		switch strings.ToLower(filepath.Ext(c.outFile)) {
		case ".npz":
			format = "npz"
		case ".txt":
			format = "text"
		default:
			format = "json"
		}
	}
	var print func(w io.Writer) error
	switch format {
	case "json":
		print = func(w io.Writer) error { return writeJSON(w, sig, got) }
	case "text":
		print = func(w io.Writer) error { return writeText(w, sig, got) }
	case "npz":
		print = func(w io.Writer) error { return npy.WriteZipTo(w, got, false) }
	default:
		return usagef("--format %s: want json, text or npz", format)
	}
	if c.outFile == "" || c.outFile == "-" {
		w := bufio.NewWriter(c.out)
		if err := print(w); err != nil {
			return err
		}
		return w.Flush()
	}
	return files.WriteWhole(c.outFile, print)
}

// textElements bounds how many elements of a result writeText prints.
const textElements = 20

// writeText prints a line for each result: type, shape and the first elements. For a signature
// without results it prints that the run is done.
func writeText(w io.Writer, sig *rt.Signature, got map[string]*tensor.Tensor) error {
	if len(sig.Fetches) == 0 {
		_, err := fmt.Fprintf(w, "%s: done\n", sig.Name)
		return err
	}
	for i := range sig.Fetches {
		p := &sig.Fetches[i]
		t := got[p.Name]
		if _, err := fmt.Fprintf(w, "%s %v:", fetchName(p), t); err != nil {
			return err
		}
		for j := range min(t.Len(), textElements) {
			s := elementText(t, j)
			if t.DType == tensor.String {
				s = strconv.Quote(s)
			}
			fmt.Fprintf(w, " %s", s)
		}
		if t.Len() > textElements {
			fmt.Fprint(w, " …")
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}

// measure runs b repeatedly and prints the shortest, median, 90th percentile and longest time of a
// run. Before that, three runs under the context unobserved fill caches and buffers. They appear in no
// trace or profile.
func (c *command) measure(ctx, unobserved context.Context, b *rt.Bound) error {
	if c.bench < 0 || c.span < 0 {
		return usagef("--bench and --time must be positive")
	}
	for range 3 {
		if err := c.observe.run(unobserved, b.Run); err != nil {
			return err
		}
	}
	var all []time.Duration
	for begin := time.Now(); len(all) < c.bench || time.Since(begin) < c.span; {
		t := time.Now()
		if err := c.observe.run(ctx, b.Run); err != nil {
			return err
		}
		all = append(all, time.Since(t))
	}
	slices.Sort(all)
	n := len(all)
	_, err := fmt.Fprintf(c.out, "%d runs: min %v, median %v, p90 %v, max %v\n", n, all[0], all[n/2], all[n*9/10], all[n-1])
	return err
}
