package resource

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// names returns a closed queue of file names.
func names(t *testing.T, list ...string) *Queue {
	t.Helper()
	h, err := NewQueue(QueueParams{Capacity: -1}, []int{int(tensor.String)}, []int{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	q, _ := QueueOf([]tensor.Handle{h})
	for _, n := range list {
		if err := q.Enqueue(context.Background(), []*Box{{DType: tensor.String, Shape: []int{}, Data: []string{n}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.Close(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	return q
}

func rootOf(t *testing.T, files map[string]string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	for name, text := range files {
		if err := root.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// all reads records until a call of Read returns an error. For each record, the slice out contains
// the text key=value. The result code is the code of the error; at the end of the closed queue it is
// OutOfRange.
func all(r *Reader, root *os.Root, q *Queue) (out []string, code tensor.Code) {
	for {
		rec, err := r.Read(nil, context.Background(), root, q)
		if err != nil {
			return out, tensor.CodeOf(err)
		}
		out = append(out, rec.Key+"="+rec.Value)
	}
}

func readerOf(t *testing.T, h tensor.Handle, err error) *Reader {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	r, err := ReaderOf([]tensor.Handle{h})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// record returns an encoded TensorFlow record.
func record(data string) string {
	head := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	b := binary.LittleEndian.AppendUint32(head, masked(string(head)))
	return string(binary.LittleEndian.AppendUint32(append(b, data...), masked(data)))
}

func packed(s string, w interface {
	io.Writer
	Close() error
}, b *bytes.Buffer) string {
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

func zlibText(s string) string { var b bytes.Buffer; return packed(s, zlib.NewWriter(&b), &b) }
func gzipText(s string) string { var b bytes.Buffer; return packed(s, gzip.NewWriter(&b), &b) }

func TestReaders(t *testing.T) {
	long := strings.Repeat("x", 200000)
	records := record("one") + record("") + record("three")
	root := rootOf(t, map[string]string{"a": "one\r\ntwo\n\nlast", "empty": "", "long": long + "\n" + long, "fixed": "HHabcdefgF", "zfixed": zlibText("HHabcdefgF"), "gfixed": gzipText("HHabcdefgF"),
		"rec": records, "zrec": zlibText(records), "grec": gzipText(records), "cut": records[:len(records)-1], "cuthead": records[:5], "badhead": "\x01" + records[1:],
		"bad": records[:13] + "X" + records[14:], "huge": "\xff\xff\xff\xff\xff\xff\xff\xff" + string(binary.LittleEndian.AppendUint32(nil, masked(strings.Repeat("\xff", 8)))) + "xxxxx"})
	line := func(skip int) func() (tensor.Handle, error) {
		return func() (tensor.Handle, error) { return NewTextLineReader(ReaderParams{Skip: skip}) }
	}
	fixed := func(fn func(ReaderParams) (tensor.Handle, error), hop int) func() (tensor.Handle, error) {
		return func() (tensor.Handle, error) {
			return fn(ReaderParams{Header: 2, Record: 3, Footer: 1, Hop: hop})
		}
	}
	plain := func(fn func(ReaderParams) tensor.Handle) func() (tensor.Handle, error) {
		return func() (tensor.Handle, error) { return fn(ReaderParams{}), nil }
	}
	three := func(name string) []string { return []string{name + ":0=one", name + ":19=", name + ":35=three"} }
	for what, c := range map[string]struct {
		new   func() (tensor.Handle, error)
		files []string
		want  []string
		code  tensor.Code
	}{
		"lines":              {line(0), []string{"a", "empty", "a"}, []string{"a:1=one", "a:2=two", "a:3=", "a:4=last", "a:1=one", "a:2=two", "a:3=", "a:4=last"}, tensor.OutOfRange},
		"lines without head": {line(3), []string{"a"}, []string{"a:4=last"}, tensor.OutOfRange},
		"no lines":           {line(9), []string{"a"}, nil, tensor.OutOfRange},
		"long lines":         {line(0), []string{"long"}, []string{"long:1=" + long, "long:2=" + long}, tensor.OutOfRange},
		"no file":            {line(0), []string{"none"}, nil, tensor.NotFound},
		"outside":            {line(0), []string{"../x"}, nil, tensor.PermissionDenied},
		"identity":           {plain(NewIdentityReader), []string{"x", "y"}, []string{"x=x", "y=y"}, tensor.OutOfRange},
		"whole":              {plain(NewWholeFileReader), []string{"fixed", "empty"}, []string{"fixed=HHabcdefgF", "empty="}, tensor.OutOfRange},
		"whole none":         {plain(NewWholeFileReader), []string{"none"}, nil, tensor.NotFound},
		"fixed":              {fixed(NewFixedLengthReader, 0), []string{"fixed"}, []string{"fixed:0=abc", "fixed:1=def"}, tensor.OutOfRange},
		"fixed, hop 1":       {fixed(NewFixedLengthReader, 1), []string{"fixed"}, []string{"fixed:0=abc", "fixed:1=bcd", "fixed:2=cde", "fixed:3=def", "fixed:4=efg"}, tensor.OutOfRange},
		"fixed, hop 4":       {fixed(NewFixedLengthReader, 4), []string{"fixed"}, []string{"fixed:0=abc", "fixed:1=efg"}, tensor.OutOfRange},
		"fixed, zlib":        {fixed(NewFixedLengthZlibReader, 2), []string{"zfixed"}, []string{"zfixed:0=abc", "zfixed:1=cde", "zfixed:2=efg"}, tensor.OutOfRange},
		"fixed, gzip":        {fixed(NewFixedLengthGzipReader, 0), []string{"gfixed"}, []string{"gfixed:0=abc", "gfixed:1=def"}, tensor.OutOfRange},
		"fixed, no gzip":     {fixed(NewFixedLengthGzipReader, 0), []string{"fixed"}, nil, tensor.DataLoss},
		"fixed, no file":     {fixed(NewFixedLengthGzipReader, 0), []string{"none"}, nil, tensor.NotFound},
		"fixed, short":       {fixed(NewFixedLengthReader, 0), []string{"empty"}, nil, tensor.OutOfRange},
		"records":            {plain(NewRecordReader), []string{"rec", "empty"}, three("rec"), tensor.OutOfRange},
		"records, zlib":      {plain(NewRecordZlibReader), []string{"zrec"}, three("zrec"), tensor.OutOfRange},
		"records, gzip":      {plain(NewRecordGzipReader), []string{"grec"}, three("grec"), tensor.OutOfRange},
		"records cut":        {plain(NewRecordReader), []string{"cut"}, three("cut")[:2], tensor.DataLoss},
		"a head cut":         {plain(NewRecordReader), []string{"cuthead"}, nil, tensor.DataLoss},
		"a head's sum":       {plain(NewRecordReader), []string{"badhead"}, nil, tensor.DataLoss},
		"a sum":              {plain(NewRecordReader), []string{"bad"}, nil, tensor.DataLoss},
		"a huge record":      {plain(NewRecordReader), []string{"huge"}, nil, tensor.DataLoss},
	} {
		h, err := c.new()
		r := readerOf(t, h, err)
		if got, code := all(r, root, names(t, c.files...)); !reflect.DeepEqual(got, c.want) || code != c.code {
			t.Errorf("%s: %.200q %v, want %.200q %v", what, got, code, c.want, c.code)
		}
		r.Destroy()
		if n, m, err := r.Counts(context.Background()); n != 0 || m != 0 || err != nil {
			t.Errorf("%s: %d %d %v after it was destroyed", what, n, m, err)
		}
	}
	for _, p := range []ReaderParams{{Record: 0}, {Record: 1, Header: -1}, {Record: 1, Footer: -1}, {Record: 1, Hop: -1}} {
		if _, err := NewFixedLengthReader(p); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if _, err := NewFixedLengthReader(ReaderParams{Record: maxRead + 1}); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Error(err)
	}
	if _, err := NewTextLineReader(ReaderParams{Skip: -1}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Error(err)
	}
	if _, err := ReaderOf([]tensor.Handle{{}}); tensor.CodeOf(err) != tensor.NotFound {
		t.Error(err)
	}
}

// TestReadUpTo: all records that one call reads are from one file.
func TestReadUpTo(t *testing.T) {
	ctx := context.Background()
	root := rootOf(t, map[string]string{"a": "1\n2\n3\n", "empty": ""})
	h, err := NewTextLineReader(ReaderParams{})
	r := readerOf(t, h, err)
	q := names(t, "empty", "a", "a")
	var got []int
	for range 4 {
		l, err := r.ReadUpTo(nil, ctx, root, q, 2)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, len(l))
	}
	if fmt.Sprint(got) != "[2 1 2 1]" {
		t.Error(got)
	}
	if records, files, _ := r.Counts(ctx); records != 6 || files != 3 {
		t.Errorf("%d records of %d files", records, files)
	}
	if _, err := r.ReadUpTo(nil, ctx, root, q, 2); tensor.CodeOf(err) != tensor.OutOfRange {
		t.Error(err)
	}
	if _, err := r.ReadUpTo(nil, ctx, root, q, 0); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Error(err)
	}
	if err := r.Reset(ctx); err != nil {
		t.Fatal(err)
	}
	if records, files, _ := r.Counts(ctx); records != 0 || files != 0 {
		t.Errorf("%d records of %d files after a reset", records, files)
	}
}

func TestReaderState(t *testing.T) {
	ctx := context.Background()
	r := readerOf(t, NewIdentityReader(ReaderParams{}), nil)
	q := names(t, "a", "b")
	if _, err := r.Read(nil, ctx, nil, q); err != nil {
		t.Fatal(err)
	}
	state, err := r.State(ctx)
	if want := "\x08\x01\x10\x01\x18\x01\x22\x01a"; state != want || err != nil {
		t.Errorf("%q, %v, want %q", state, err, want)
	}
	other := readerOf(t, NewWholeFileReader(ReaderParams{}), nil)
	if err := other.Restore(ctx, state); err != nil {
		t.Error(err)
	}
	if again, _ := other.State(ctx); again != state {
		t.Errorf("%q, want %q", again, state)
	}
	// If a file was started but not finished in the restored state, the reader reads this file first.
	root := rootOf(t, map[string]string{"f": "text"})
	if err := other.Restore(ctx, "\x08\xac\x02\x10\xab\x02\x22\x01f\x2d1234\x3112345678\x78\x01"); err != nil {
		t.Fatal(err)
	}
	if rec, err := other.Read(nil, ctx, root, q); err != nil || rec.Value != "text" {
		t.Errorf("%v %v", rec, err)
	}
	for _, bad := range []string{"\x08", "\x00", "\x22\x05a", "\x22", "\x31123", "\x0b", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x10\x01"} {
		if err := other.Restore(ctx, bad); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%q: %v", bad, err)
		}
	}
	h, err := NewTextLineReader(ReaderParams{})
	lines := readerOf(t, h, err)
	if _, err := lines.State(ctx); tensor.CodeOf(err) != tensor.Unimplemented {
		t.Error(err)
	}
	if err := lines.Restore(ctx, state); tensor.CodeOf(err) != tensor.Unimplemented {
		t.Error(err)
	}
}

// TestReaderWaits: while one call of Read waits for a file name, it holds the reader's lock. Other
// calls wait for the lock, and end with the error of their context when the context ends.
func TestReaderWaits(t *testing.T) {
	h, err := NewQueue(QueueParams{Capacity: -1}, []int{int(tensor.String)}, []int{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	q, _ := QueueOf([]tensor.Handle{h})
	r := readerOf(t, NewIdentityReader(ReaderParams{}), nil)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	done := make(chan error)
	go func() {
		_, err := r.Read(nil, context.Background(), nil, q)
		done <- err
	}()
	for len(r.turn) > 0 {
		time.Sleep(time.Millisecond)
	}
	_, _, counts := r.Counts(ctx)
	_, state := r.State(ctx)
	_, many := r.ReadUpTo(nil, ctx, nil, q, 1)
	_, one := r.Read(nil, ctx, nil, q)
	for _, err := range []error{counts, state, many, one, r.Reset(ctx), r.Restore(ctx, "")} {
		if tensor.CodeOf(err) != tensor.DeadlineExceeded {
			t.Error(err)
		}
	}
	if err := q.Enqueue(context.Background(), []*Box{{DType: tensor.String, Shape: []int{}, Data: []string{"a"}}}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestReaderQueues(t *testing.T) {
	ctx := context.Background()
	for what, c := range map[string]struct {
		types []int
		box   []*Box
	}{
		"two components": {[]int{int(tensor.String), int(tensor.String)}, []*Box{{DType: tensor.String, Data: []string{"a"}}, {DType: tensor.String, Data: []string{"a"}}}},
		"numbers":        {[]int{int(tensor.Int32)}, []*Box{{DType: tensor.Int32, Data: []int32{1}}}},
		"two names":      {[]int{int(tensor.String)}, []*Box{{DType: tensor.String, Shape: []int{2}, Data: []string{"a", "b"}}}},
	} {
		h, err := NewQueue(QueueParams{Capacity: -1}, c.types, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		q, _ := QueueOf([]tensor.Handle{h})
		if err := q.Enqueue(ctx, c.box); err != nil {
			t.Fatal(err)
		}
		r := readerOf(t, NewIdentityReader(ReaderParams{}), nil)
		if _, err := r.Read(nil, ctx, nil, q); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func FuzzRecords(f *testing.F) {
	f.Add(record("one") + record(""))
	f.Fuzz(func(t *testing.T, s string) {
		root := rootOf(t, map[string]string{"f": s})
		r := readerOf(t, NewRecordReader(ReaderParams{}), nil)
		if got, _ := all(r, root, names(t, "f")); len(got) > len(s)/16 {
			t.Errorf("%d records of %d bytes", len(got), len(s))
		}
	})
}

// TestReadBudget: records count toward the memory budget of the run, even if they are empty. After
// the run has ended, a read returns the run's error.
func TestReadBudget(t *testing.T) {
	ctx := context.Background()
	root := rootOf(t, map[string]string{"a": strings.Repeat("\n", 1000)})
	h, err := NewTextLineReader(ReaderParams{})
	r := readerOf(t, h, err)
	var run mem.Budget
	var ended error
	run.Init(10_000, func() error { return ended }, nil)
	run.Reset(0)
	q := names(t, "a", "a")
	if l, err := r.ReadUpTo(&run, ctx, root, q, 10); len(l) != 10 || err != nil || run.Used() < 10*tensor.String.Size() {
		t.Errorf("%d records take %d bytes, %v", len(l), run.Used(), err)
	}
	if _, err := r.ReadUpTo(&run, ctx, root, q, 900); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Errorf("900 empty records of 10000 bytes: %v", err)
	}
	ended = context.Canceled
	if _, err := r.ReadUpTo(&run, ctx, root, q, 10); err != context.Canceled {
		t.Errorf("a run that has ended reads: %v", err)
	}
}
