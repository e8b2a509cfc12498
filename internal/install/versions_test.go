package install

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/rt"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testkit.Root(t), filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPlatforms checks .ci/run against docs/versions.md. For each platform in the table of this
// page, .ci/run must build the run time and an emitted program. If the table says "builds command",
// .ci/run must also build the command graphc. README.md must name all these platforms.
func TestPlatforms(t *testing.T) {
	var listed, withCommand []string
	for _, m := range regexp.MustCompile(`(?m)^\| (\w+/\w+) \| (.*) \|$`).FindAllStringSubmatch(read(t, "docs/versions.md"), -1) {
		if m[2] == "all tests" {
			continue // CI runs all tests on this platform, so .ci/run need not build for it
		}
		listed = append(listed, m[1])
		if strings.HasPrefix(m[2], "builds command,") {
			withCommand = append(withCommand, m[1])
		}
	}
	loops := regexp.MustCompile(`(?m)^for target in (.*); do\n((?:    .*\n)+)done$`).FindAllStringSubmatch(read(t, ".ci/run"), -1)
	var built, commands []string
	for _, l := range loops {
		if strings.Contains(l[2], "./cmd/graphc") {
			commands = append(commands, strings.Fields(l[1])...)
		}
		if strings.Contains(l[2], "./rt/... ./kernels/...") && strings.Contains(l[2], "./examples/emotion") {
			built = append(built, strings.Fields(l[1])...)
		}
	}
	for _, s := range [][]string{listed, withCommand, built, commands} {
		slices.Sort(s)
	}
	if !slices.Equal(listed, built) || len(listed) == 0 {
		t.Errorf("docs/versions.md lists %q, .ci/run builds %q", listed, built)
	}
	if !slices.Equal(withCommand, commands) || len(commands) == 0 {
		t.Errorf("the command: docs/versions.md lists %q, .ci/run builds %q", withCommand, commands)
	}
	readme := read(t, "README.md")
	for _, p := range append(listed, "linux/amd64") {
		if !strings.Contains(readme, p) {
			t.Errorf("README.md does not name %s", p)
		}
	}
}

// TestGo: README.md, the pages and the code that writes go.mod files name the Go release of
// graphc's own go.mod. docs/versions.md also names the release after it.
func TestGo(t *testing.T) {
	m := regexp.MustCompile(`(?m)^go 1\.(\d+)\.0$`).FindStringSubmatch(read(t, "go.mod"))
	if m == nil {
		t.Fatal("go.mod does not have the first version of a release of Go")
	}
	var minor int
	if _, err := fmt.Sscan(m[1], &minor); err != nil {
		t.Fatal(err)
	}
	for name, part := range map[string]string{
		"README.md":                   fmt.Sprintf("Go (1.%d or later)", minor),
		"docs/installing.md":          fmt.Sprintf("1.%d or later", minor),
		"docs/versions.md":            fmt.Sprintf("1.%d and 1.%d now", minor, minor+1),
		"emit.go":                     fmt.Sprintf("goDirective = \"1.%d\"", minor),
		"internal/tool/base/gomod.go": fmt.Sprintf("goDirective = \"1.%d\"", minor),
	} {
		if !strings.Contains(read(t, name), part) {
			t.Errorf("%s does not have %q", name, part)
		}
	}
}

// TestCode: docs/versions.md and the change log name the version of emitted code, and the emitted
// code of the examples has this version.
func TestCode(t *testing.T) {
	page := strings.Join(strings.Fields(read(t, "docs/versions.md")), " ")
	for name, part := range map[string]string{
		"docs/versions.md":                    fmt.Sprintf("emitted code | a number, %d now", rt.MaxVersion),
		"CHANGELOG.md":                        fmt.Sprintf("Emitted code has version %d", rt.MaxVersion),
		"examples/emotion/model/model.gen.go": fmt.Sprintf("rt.EnforceVersion(%d - rt.MinVersion)", rt.MaxVersion),
	} {
		if !strings.Contains(read(t, name), part) {
			t.Errorf("%s does not have %q", name, part)
		}
	}
	if oldest := "as this one does"; (rt.MinVersion == rt.MaxVersion) != strings.Contains(page, oldest) {
		t.Errorf("docs/versions.md: %q, but versions from %d to %d are accepted", oldest, rt.MinVersion, rt.MaxVersion)
	}
}

// TestMismatch: emitted code of a version that the run time does not support does not compile, and
// the error is the one that docs/versions.md shows.
func TestMismatch(t *testing.T) {
	page := read(t, "docs/versions.md")
	m := regexp.MustCompile(`(?m)^    model/model\.gen\.go:\d+:\d+: (constant .*)$`).FindStringSubmatch(page)
	if m == nil {
		t.Fatal("docs/versions.md has no error of the compiler")
	}
	dir := filepath.Join(testkit.Root(t), "internal", "install")
	for _, version := range []int{rt.MinVersion - 1, rt.MaxVersion, rt.MaxVersion + 1} {
		file := filepath.Join(t.TempDir(), "model.go")
		text := fmt.Sprintf("package model\n\nimport %q\n\nconst (\n\t_ = rt.EnforceVersion(%d - rt.MinVersion)\n\t_ = rt.EnforceVersion(rt.MaxVersion - %d)\n)\n", modulePath+"/rt", version, version)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("go", "vet", file)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		fits := version >= rt.MinVersion && version <= rt.MaxVersion
		if fits != (err == nil) || !fits && !strings.Contains(string(out), "overflows") {
			t.Errorf("version %d: %v\n%s", version, err, out)
		}
		if !fits && !strings.Contains(string(out), strings.TrimPrefix(m[1], "constant ")) {
			t.Errorf("docs/versions.md shows %q, the compiler says:\n%s", m[1], out)
		}
	}
}

// TestChanges: each entry of the change log says whether packages have to be generated again.
func TestChanges(t *testing.T) {
	text := read(t, "CHANGELOG.md")
	if !strings.Contains(text, "\n## [Unreleased]\n") {
		t.Error("CHANGELOG.md has no section [Unreleased]")
	}
	entries := strings.Split(text, "\n- ")[1:]
	for _, e := range entries {
		e, _, _ = strings.Cut(e, "\n\n")
		if e = strings.Join(strings.Fields(e), " "); !regexp.MustCompile(`Regenerate needed: (yes|no)\b`).MatchString(e) {
			t.Errorf("CHANGELOG.md: %.60s… does not say whether packages have to be generated again", e)
		}
	}
	if len(entries) < 5 {
		t.Errorf("CHANGELOG.md has %d entries only", len(entries))
	}
}
