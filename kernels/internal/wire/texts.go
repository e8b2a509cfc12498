package wire

import "github.com/graphc/graphc/rt/mem"

// Texts makes texts of bytes that are appended to a buffer. The buffer counts with
// the run until Free, the texts count as values that stay.
type Texts struct {
	call mem.Call
	b    []byte
}

// NewTexts begins with an empty buffer.
func NewTexts(run *mem.Budget) Texts { return Texts{call: run.Call()} }

// Make returns the text that write appends to an empty buffer, about n bytes.
func (t *Texts) Make(n int, write func([]byte) []byte) string {
	t.call.Work(n / 4)
	if n > cap(t.b) {
		t.b = nil
		t.call.Free()
		t.b = mem.Make[byte](&t.call, n)
	}
	t.b = write(t.b[:0])
	t.call.Budget().MustMake(len(t.b))
	return string(t.b)
}

// Free ends the use of the buffer.
func (t *Texts) Free() { t.call.Free() }
