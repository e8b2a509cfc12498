// Command citest runs go test for CI. It prints the output of go test without -v. It fails if a
// test fails or is skipped, because a skip in CI usually means that CI must install something. Two
// kinds of skips are allowed. Skips with a text from the table in the variable expected are always
// allowed. Skips of tests that need the shared material are allowed if GRAPHC_SHARED is not set.
//
//	citest [go test's flags and packages]
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// expected maps texts of skips that are allowed on every CI machine to the reasons. A skip is
// allowed if its message contains such a text.
var expected = map[string]string{
	"it is started by":                    "the test is a child process of another one, which runs",
	"this is a real driver":               "CI has the fake driver, or a GPU whose faults cannot be chosen",
	"a real GPU may be fast enough":       "likewise",
	"an emulator runs this program":       "a process of another architecture cannot start itself again",
	"no assembly here":                    "the test compares assembly with Go, and the tag noasm or the architecture leaves it out",
	"the processor has none":              "the emulated processor lacks the instruction",
	"no VNNI":                             "the processor lacks the instruction",
	"built with the tag simgpu or cuda":   "the test is about builds without either tag, and runs in those",
	"there is one GPU only":               "the machine has one real GPU",
	"the golden that the scenario names":  "scenarios of the shared folder name goldens that are only there",
	"the null device can be synced":       "the test needs a file whose sync fails",
	"no files that grow as they are read": "the system has no such file",
	"the mappings of a process are read":  "the system has no /proc",
	"no /proc here":                       "the system has no /proc",
}

// event is one line of go test -json.
type event struct {
	Action, Package, Test, Output string
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "citest:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	text := map[string][]string{} // by package and test: the output lines of tests that have not ended
	var skipped []string
	s := bufio.NewScanner(out)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		var e event
		if json.Unmarshal(s.Bytes(), &e) != nil {
			fmt.Println(s.Text()) // output of the go command itself
			continue
		}
		id := e.Package + "." + e.Test
		switch e.Action {
		case "output", "build-output":
			if e.Test != "" {
				text[id] = append(text[id], e.Output)
			} else if !strings.HasPrefix(e.Output, "?") && e.Output != "PASS\n" {
				fmt.Print(e.Output)
			}
		case "fail":
			fmt.Print(strings.Join(text[id], ""))
			delete(text, id)
		case "skip":
			if why := strings.Join(text[id], ""); e.Test != "" && !right(why) {
				skipped = append(skipped, id+":\n"+why)
			}
			delete(text, id)
		case "pass":
			delete(text, id)
		}
	}
	err = cmd.Wait()
	if len(skipped) > 0 {
		return fmt.Errorf("%d tests are skipped:\n%s", len(skipped), strings.Join(skipped, ""))
	}
	if e := s.Err(); e != nil {
		return e
	}
	if err != nil {
		return fmt.Errorf("go test: %w", err)
	}
	return nil
}

// right reports whether the skip of a test that printed this output is allowed.
func right(output string) bool {
	if os.Getenv("GRAPHC_SHARED") == "" && (strings.Contains(output, "this needs the shared material") || strings.Contains(output, "no shared cases")) {
		return true
	}
	for text := range expected {
		if strings.Contains(output, text) {
			return true
		}
	}
	return false
}
