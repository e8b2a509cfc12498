package wire

import "github.com/graphc/graphc/rt/mem"

// Texts builds strings from bytes that are appended to a buffer. The memory of the buffer is
// counted towards the run's budget until Free is called. The memory of the strings remains counted
// after that.
type Texts struct {
	call mem.Call
	b    []byte
}

// NewTexts returns Texts with an empty buffer.
func NewTexts(run *mem.Budget) Texts { return Texts{call: run.Call()} }

// Make calls the function write with an empty buffer. It returns the bytes that this function
// appends, as a string. n is an estimate of the number of bytes.
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

// Free releases the buffer and removes its memory from the run's budget.
func (t *Texts) Free() { t.call.Free() }
