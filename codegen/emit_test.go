package codegen

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt"
)

// module writes files into a new module that uses this repository, and returns the module's folder.
// The module's path is below the path of this package, so that emitted code may import the internal
// package with kernels for tests.
func module(t *testing.T, files map[string][]byte) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(mod), "\n")
	files["go.mod"] = []byte("module " + Module + "/codegen/emitted\n" + rest +
		"\nrequire " + Module + " v0.0.0\n\nreplace " + Module + " => " + root + "\n")
	if files["go.sum"], err = os.ReadFile(filepath.Join(root, "go.sum")); err != nil {
		t.Fatal(err)
	}
	return write(t, files)
}

// write puts files into a fresh folder.
func write(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// goRun runs the go command without cgo in dir and returns its output.
func goRun(t *testing.T, dir string, args ...string) string {
	t.Helper()
	return goRunWith(t, dir, "CGO_ENABLED=0", args...)
}

func goRunWith(t *testing.T, dir, env string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", env)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func emit(t *testing.T, p *Package) map[string][]byte {
	t.Helper()
	for _, pl := range p.Plans {
		if err := pl.Check(); err != nil {
			t.Fatal(err)
		}
	}
	files, err := Emit(p)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// testOf reads the test of an emitted package from testdata. A plan with sizes known only at run
// time shares the test of the plan with constant sizes.
func testOf(name string) ([]byte, error) {
	test, err := os.ReadFile(filepath.Join("testdata", name+"_test.go.txt"))
	if err != nil {
		test, err = os.ReadFile(filepath.Join("testdata", strings.TrimPrefix(name, "sym")+"_test.go.txt"))
	}
	return bytes.ReplaceAll(test, []byte("PACKAGE"), []byte(name)), err
}

// runPackages are the packages that have tests in testdata.
func runPackages() []*Package {
	return []*Package{
		{Name: "static", Model: "static.pb", ModelSum: "00ff", Version: "v0.1.0", Plans: []*plan.Plan{staticPlan()}},
		{Name: "symbolic", Model: "dir/we*/ird\n.pb", Plans: []*plan.Plan{symbolicPlan()}},
		{Name: "batch", Plans: []*plan.Plan{batchPlan()}},
		{Name: "layers", Plans: []*plan.Plan{layersPlan(nil)}},
		{Name: "operands", Plans: []*plan.Plan{operandsPlan()}},
		{Name: "symlayers", Plans: []*plan.Plan{layersPlan(sym.Var("B"))}},
		{Name: "identity", Plans: []*plan.Plan{identityPlan()}},
		{Name: "multi", Plans: multiPlans()},
		{Name: "ranks", Plans: ranksPlans()},
		{Name: "shared", Plans: sharedPlans()},
		{Name: "blocks", Plans: []*plan.Plan{blocksPlan()}},
		{Name: "state", Plans: statePlans()},
		{Name: "literals", Plans: []*plan.Plan{literalsPlan()}},
		{Name: "loops", Plans: []*plan.Plan{loopsPlan(nil)}},
		{Name: "symloops", Plans: []*plan.Plan{loopsPlan(sym.Var("B"))}},
		{Name: "looplayers", Plans: []*plan.Plan{loopLayersPlan(nil)}},
		{Name: "symlooplayers", Plans: []*plan.Plan{loopLayersPlan(sym.Var("B"))}},
		{Name: "while", Plans: []*plan.Plan{whilePlan()}},
		{Name: "counter", Plans: []*plan.Plan{counterPlan()}},
		{Name: "longcounter", Plans: []*plan.Plan{longCounterPlan()}},
		{Name: "grow", Plans: []*plan.Plan{growPlan()}},
		{Name: "tasks", Plans: []*plan.Plan{tasksPlan(nil)}},
		{Name: "symtasks", Plans: []*plan.Plan{tasksPlan(sym.Var("B"))}},
		{Name: "hostile", Plans: []*plan.Plan{hostilePlan()}},
		{Name: "long", Plans: []*plan.Plan{longPlan()}},
		{Name: "partial", Plans: []*plan.Plan{partialPlan()}},
		objectsPackage(),
		savedPackage(),
		countersPackage("counters", 5, 70, 900),
		countersPackage("badcounters", 5, 70, -1, 900),
	}
}

// TestRuns emits packages, vets them and runs their tests in testdata.
func TestRuns(t *testing.T) {
	files := map[string][]byte{}
	for _, c := range runPackages() {
		for name, b := range emit(t, c) {
			files[c.Name+"/"+name] = b
		}
		test, err := testOf(c.Name)
		if err != nil {
			t.Fatal(err)
		}
		files[c.Name+"/run_test.go"] = test
	}
	dir := module(t, files)
	if out, err := exec.Command("gofmt", "-l", dir).CombinedOutput(); err != nil || len(bytes.TrimSpace(out)) > 0 {
		t.Errorf("gofmt: %s %v", out, err)
	}
	goRun(t, dir, "vet", "./...")
	goRun(t, dir, "test", "./...")
}

// TestRace runs one model from many goroutines under the race detector, which
// needs cgo.
func TestRace(t *testing.T) {
	testkit.NeedLong(t)
	env, err := exec.Command("go", "env", "CGO_ENABLED", "CC").Output()
	if err != nil {
		t.Fatal(err)
	}
	cgo, cc, _ := strings.Cut(strings.TrimSpace(string(env)), "\n")
	if _, err := exec.LookPath(cc); cgo != "1" || err != nil {
		t.Skip("no cgo")
	}
	files := map[string][]byte{}
	for _, c := range []*Package{
		{Name: "symbolic", Plans: []*plan.Plan{symbolicPlan()}},
		{Name: "ranks", Plans: ranksPlans()},
		{Name: "shared", Plans: sharedPlans()},
		{Name: "state", Plans: statePlans()},
		{Name: "loops", Plans: []*plan.Plan{loopsPlan(nil)}},
		{Name: "symloops", Plans: []*plan.Plan{loopsPlan(sym.Var("B"))}},
		{Name: "while", Plans: []*plan.Plan{whilePlan()}},
		{Name: "grow", Plans: []*plan.Plan{growPlan()}},
		{Name: "tasks", Plans: []*plan.Plan{tasksPlan(nil)}},
		{Name: "symtasks", Plans: []*plan.Plan{tasksPlan(sym.Var("B"))}},
		{Name: "partial", Plans: []*plan.Plan{partialPlan()}},
		objectsPackage(),
		savedPackage(),
		countersPackage("counters", 5, 70, 900),
		countersPackage("badcounters", 5, 70, -1, 900),
	} {
		for file, b := range emit(t, c) {
			files[c.Name+"/"+file] = b
		}
		test, err := testOf(c.Name)
		if err != nil {
			t.Fatal(err)
		}
		files[c.Name+"/run_test.go"] = test
	}
	goRunWith(t, module(t, files), "CGO_ENABLED=1", "test", "-race", "-run", "TestManyGoroutines", "./...")
}

// TestDeviceOperands checks that the emitted params struct has the address of an operand in device
// memory, and does not mention a missing operand.
func TestDeviceOperands(t *testing.T) {
	var all []byte
	for _, b := range emit(t, &Package{Name: "rows", Plans: []*plan.Plan{deviceOperandsPlan()}}) {
		all = append(all, b...)
	}
	for _, want := range []string{
		"norm.LayerParams{Rows: d.B, C: 2, Gamma: g.At(g.Off[0] + 8), Beta: g.Const(64)},",
		"norm.LayerParams{Rows: d.B, C: 2},",
	} {
		if !bytes.Contains(all, []byte(want)) {
			t.Errorf("%s is not there:\n%s", want, all)
		}
	}
}

// TestCodeVersion: the run time of this repository serves the code that is emitted.
func TestCodeVersion(t *testing.T) {
	if codeVersion != rt.MaxVersion {
		t.Errorf("emitted code has version %d, the run time serves up to %d", codeVersion, rt.MaxVersion)
	}
}
