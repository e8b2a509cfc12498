package rendezvous

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// scenario is one test case of the rendezvous, read from a JSON file. Its steps are English phrases,
// which the regular expressions below parse.
type scenario struct {
	ID, Name string
	Given    map[string]any
	Steps    []string
	Expect   any
}

// TestScenarios runs the scenarios of testdata and of $GRAPHC_SHARED/partition.
func TestScenarios(t *testing.T) {
	var more []string
	if shared := os.Getenv("GRAPHC_SHARED"); shared != "" {
		var err error
		if more, err = filepath.Glob(filepath.Join(shared, "partition", "scenarios_*.json")); err != nil || len(more) == 0 {
			t.Fatalf("%d files in %s, %v", len(more), shared, err)
		}
	}
	seen := map[string]bool{}
	for _, file := range append([]string{filepath.Join("testdata", "scenarios_a.json")}, more...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var all struct{ Rendezvous []scenario }
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, s := range all.Rendezvous {
			if seen[s.ID] {
				continue
			}
			seen[s.ID] = true
			t.Run(s.ID+"_"+s.Name, func(t *testing.T) {
				switch {
				case s.Given["key"] != nil:
					s.key(t)
				case s.Given != nil && len(s.Steps) == 0:
					s.keys(t)
				default:
					s.play(t)
				}
			})
		}
	}
}

// key tests ParseKey with a scenario's key. If the scenario expects an error, ParseKey must return
// one. Otherwise String must format the parsed key as the original text.
func (s *scenario) key(t *testing.T) {
	text := fmt.Sprint(s.Given["key"])
	k, err := ParseKey(text)
	want, _ := s.Expect.(map[string]any)
	if code, ok := want["error"]; ok || strings.Contains(fmt.Sprint(s.Expect), "InvalidArgument") {
		if tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%q parses as %+v, %v; want %v", text, k, err, code)
		}
		return
	}
	if err != nil || k.String() != text {
		t.Errorf("%q parses as %q, %v", text, k, err)
	}
	parts := append(strings.Split(text, ";"), fmt.Sprint(k.SrcIncarnation), fmt.Sprint(k.Frame), fmt.Sprint(k.Iter), "true", "ok")
	parts = append(parts, strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("/:;", r) })...)
	for name, v := range want {
		if !slices.Contains(parts, fmt.Sprint(v)) {
			t.Errorf("%q: %s is not %v", text, name, v)
		}
	}
}

// keys tests the frames and iterations in keys. An edge must have a different key for each iteration
// of each frame. Outside of frames, the key must end with 0:0. If the scenario expects a whole key,
// the method also checks that key.
func (s *scenario) keys(t *testing.T) {
	l := New()
	k := Key{SrcDevice: "/job:a/replica:0/task:0/device:CPU:0", SrcIncarnation: 0x1ed2, DstDevice: "/job:a/replica:0/task:0/device:CPU:1", Tensor: "edge_7_x"}
	if !strings.HasSuffix(k.String(), ";0:0") {
		t.Error(k)
	}
	if want := fmt.Sprint(s.Expect); strings.Count(want, ";") == 4 {
		s.format(t, want)
	}
	seen := map[string]bool{}
	for frame := range uint64(3) {
		for iter := range int64(3) {
			k.Frame, k.Iter = frame, iter
			if seen[k.String()] || l.Send(k, text(fmt.Sprint(frame, iter))) != nil {
				t.Fatal(k)
			}
			seen[k.String()] = true
		}
	}
	for frame := uint64(2); frame < 3; frame-- {
		for iter := int64(2); iter >= 0; iter-- {
			k.Frame, k.Iter = frame, iter
			if v, err := l.Recv(context.Background(), k); err != nil || content(v) != fmt.Sprint(frame, iter) {
				t.Fatal(k, v, err)
			}
		}
	}
}

// format makes a key from the parts in s.Given, and checks that its text is want.
func (s *scenario) format(t *testing.T, want string) {
	var k Key
	for name, v := range s.Given {
		v := fmt.Sprint(v)
		var err error
		switch {
		case strings.Contains(name, "incarnation"):
			k.SrcIncarnation, err = strconv.ParseUint(v, 10, 64)
		case strings.Contains(name, "src"):
			k.SrcDevice = v
		case strings.Contains(name, "dst"):
			k.DstDevice = v
		case strings.Contains(name, "frame"):
			_, err = fmt.Sscanf(v+":0", "%d:%d", &k.Frame, &k.Iter)
		case strings.Contains(name, "iter"):
			k.Iter, err = strconv.ParseInt(v, 10, 64)
		default:
			k.Tensor = v
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if k.String() != want {
		t.Errorf("the key is %s, want %s", k, want)
	}
}

func text(s string) Value {
	v, err := tensor.From(nil, []string{s})
	if err != nil {
		panic(err)
	}
	return Value{Tensor: v}
}

// content returns the string that a value holds.
func content(v Value) string {
	if v.Dead {
		return "dead"
	}
	if v.Tensor == nil {
		return ""
	}
	return v.Tensor.Data.([]string)[0]
}

// stage executes the steps of a scenario.
type stage struct {
	t      *testing.T
	l      *Local
	ctx    context.Context
	cancel context.CancelFunc
	// for each key, the values that were sent, in order
	sent    map[string][]string
	mu      sync.Mutex
	results []string // the results of the steps, in order: each is "ok", a value or a code
	pending []chan string
	wg      sync.WaitGroup
}

func keyOf(name string) Key { return Key{Tensor: name} }

func resultOf(v Value, err error) string {
	if err != nil {
		return tensor.CodeOf(err).String()
	}
	return content(v)
}

var (
	sendStep   = regexp.MustCompile(`^sends? (\w+)(?:=(\w+))?(?: (\d+) times)?$`)
	recvStep   = regexp.MustCompile(`^recvs? (?:of )?(\w+)(?: (\d+) times)?(?: with its cancellation manager)?( waits| blocks)?(, is cancelled)?$`)
	manyStep   = regexp.MustCompile(`^several recv of (\w+) wait(, one is cancelled)?$`)
	abortStep  = regexp.MustCompile(`^abort(?: with)? (\w+)$`)
	cancelStep = regexp.MustCompile(`^cancel(?: the step| it| the recv)?$`)
	prefix     = regexp.MustCompile(`^([A-Za-z ]+\d*): `)
	repeated   = regexp.MustCompile(`^(.*?)[,;:]? (\d+) times$`)
	joint      = regexp.MustCompile(`; |, then |, | and then | then | and `)
	pause      = regexp.MustCompile(`^after a (?:short )?(?:pause|while|sleep), `)
)

// play runs the steps and compares the results. A step may begin with the name of a thread. Steps of
// threads other than main run concurrently.
func (s *scenario) play(t *testing.T) {
	if len(s.Steps) == 0 {
		t.Fatalf("neither steps nor a key: %+v", s)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	p := &stage{t: t, l: New(), sent: map[string][]string{}}
	p.ctx, p.cancel = context.WithCancel(ctx)
	defer p.cancel()
	for _, step := range s.Steps {
		who := prefix.FindString(step)
		what := strings.TrimPrefix(step, who)
		if who == "" || strings.Contains(who, "main") {
			if out, ok := p.step(p.late(what)); ok {
				p.results = append(p.results, out...)
			} else {
				t.Errorf("the step %q is not understood", step)
			}
			continue
		}
		p.wg.Add(1)
		go func() {
			defer p.wg.Done()
			if _, ok := p.step(p.late(what)); !ok {
				t.Errorf("the step %q is not understood", step)
			}
		}()
	}
	p.wg.Wait()
	for _, c := range p.pending {
		p.results = append(p.results, <-c)
	}
	p.compare(s.Expect)
}

// late sleeps if the step begins with "after a pause" or a similar phrase, and returns the rest of
// the step.
func (p *stage) late(step string) string {
	if s := pause.FindString(step); s != "" {
		time.Sleep(5 * time.Millisecond)
		return step[len(s):]
	}
	return step
}

// step runs one step. Its text may join several actions, for example with "then". The result out
// holds the results of the actions, and ok is false if the text is not understood.
func (p *stage) step(step string) (out []string, ok bool) {
	step = strings.ReplaceAll(step, "receive", "recv")
	if m := sendStep.FindStringSubmatch(step); m != nil {
		n, value := times(m[3]), m[2]
		for i := range n {
			v := value
			if v == "" {
				v = "v" + strconv.Itoa(i)
			}
			p.mu.Lock()
			p.sent[m[1]] = append(p.sent[m[1]], v)
			p.mu.Unlock()
			err := p.l.Send(keyOf(m[1]), text(v))
			switch {
			case err != nil:
				out = append(out, tensor.CodeOf(err).String())
			case n == 1:
				out = append(out, "ok")
			}
		}
		return out, true
	}
	if m := recvStep.FindStringSubmatch(step); m != nil {
		switch {
		case m[4] != "":
			return []string{p.recvCancelled(m[1])}, true
		case m[3] != "":
			p.pending = append(p.pending, p.waiting(p.ctx, m[1]))
			return nil, true
		}
		for range times(m[2]) {
			out = append(out, resultOf(p.l.Recv(p.ctx, keyOf(m[1]))))
		}
		return out, true
	}
	if m := manyStep.FindStringSubmatch(step); m != nil {
		return p.several(m[1], m[2] != ""), true
	}
	if m := abortStep.FindStringSubmatch(step); m != nil {
		for c := tensor.Code(1); c <= tensor.Unauthenticated; c++ {
			if c.String() == m[1] {
				p.l.Abort(tensor.Errorf(c, "as told"))
				return nil, true
			}
		}
		return nil, false
	}
	if cancelStep.MatchString(step) {
		p.cancel()
		return nil, true
	}
	n := 1
	if m := repeated.FindStringSubmatch(step); m != nil {
		step, n = m[1], times(m[2])
	}
	parts := joint.Split(step, -1)
	if n == 1 && len(parts) == 1 {
		return nil, false
	}
	for range n {
		for _, part := range parts {
			o, ok := p.step(part)
			if !ok {
				return nil, false
			}
			out = append(out, o...)
		}
	}
	return out, true
}

func times(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return 1
}

// waiting starts a receive and does not wait for its end. The channel receives the result.
func (p *stage) waiting(ctx context.Context, name string) chan string {
	c := make(chan string, 1)
	p.l.RecvAsync(ctx, keyOf(name), func(v Value, err error) { c <- resultOf(v, err) })
	return c
}

// recvCancelled starts a receive, checks that it waits, and cancels it. The result is that of the
// receive.
func (p *stage) recvCancelled(name string) string {
	ctx, cancel := context.WithCancel(context.Background())
	c := p.waiting(ctx, name)
	select {
	case r := <-c:
		p.t.Errorf("a receive of %s does not wait: %s", name, r)
	default:
	}
	cancel()
	return <-c
}

// several starts five receives, which wait. If the second parameter is true, it cancels the third
// receive. It then sends a value to each receive that still waits, and returns the results of all
// receives.
func (p *stage) several(name string, one bool) []string {
	const n, which = 5, 2
	var waits []chan string
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	for i := range n {
		c := p.ctx
		if one && i == which {
			c = ctx
		}
		waits = append(waits, p.waiting(c, name))
	}
	var out []string
	if one {
		cancel()
		out = append(out, <-waits[which])
		waits = slices.Delete(waits, which, which+1)
	}
	for i := range waits {
		v := "v" + strconv.Itoa(i)
		p.sent[name] = append(p.sent[name], v)
		if err := p.l.Send(keyOf(name), text(v)); err != nil {
			p.t.Error(err)
		}
	}
	for i, c := range waits {
		r := <-c
		if out = append(out, r); r != "v"+strconv.Itoa(i) {
			p.t.Errorf("receive %d of %s is given %s", i, name, r)
		}
	}
	return out
}

var codeWord = regexp.MustCompile(`\b(Cancelled|Aborted|InvalidArgument|Internal|DeadlineExceeded|Unavailable|OutOfRange)\b`)

// compare checks the results. The parameter expect is either the list of results, or a sentence. Each
// error code in the sentence must be among the results. If the last word of the sentence is a sent
// value, it must also be among the results.
func (p *stage) compare(expect any) {
	p.t.Helper()
	switch e := expect.(type) {
	case []any:
		if len(e) != len(p.results) {
			p.t.Fatalf("%q come of the steps, want %q", p.results, e)
		}
		for i, w := range e {
			if fmt.Sprint(w) != p.results[i] {
				p.t.Errorf("step %d: %q, want %q", i, p.results[i], w)
			}
		}
	case string:
		for _, code := range codeWord.FindAllString(e, -1) {
			if !slices.Contains(p.results, code) {
				p.t.Errorf("%q come of the steps: nothing is %s (%s)", p.results, code, e)
			}
		}
		words := strings.FieldsFunc(e, func(r rune) bool { return strings.ContainsRune(" ,:;.", r) })
		for _, values := range p.sent {
			if last := words[len(words)-1]; slices.Contains(values, last) && !slices.Contains(p.results, last) {
				p.t.Errorf("%q come of the steps: nothing is %s (%s)", p.results, last, e)
			}
		}
		p.firstInFirstOut()
	default:
		p.t.Fatalf("nothing is expected: %v", expect)
	}
	for _, r := range p.results {
		if r == "DeadlineExceeded" {
			p.t.Errorf("%q: a receive has waited too long", p.results)
		}
	}
}

// firstInFirstOut checks that values arrived in the order they were sent, without duplicates or
// gaps.
func (p *stage) firstInFirstOut() {
	for name, sent := range p.sent {
		var got []string
		for _, r := range p.results {
			if slices.Contains(sent, r) {
				got = append(got, r)
			}
		}
		if len(got) > len(sent) || !slices.Equal(got, sent[:len(got)]) {
			p.t.Errorf("%s: %q were sent, %q came", name, sent, got)
		}
	}
}
