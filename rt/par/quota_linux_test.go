package par

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// write writes files below a new folder, which it returns.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestQuota reads quotas from the files that Linux has for control groups.
func TestQuota(t *testing.T) {
	const (
		groups1 = "5:memory:/pod\n3:cpuset:/pod\n2:cpu,cpuacct:/pod/one\n0::/\n"
		mounts1 = "30 29 0:26 / /sys/fs/cgroup/unified rw shared:9 - cgroup2 cgroup2 rw\n" +
			"31 29 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n" +
			"32 29 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
		groups2 = "0::/pod/one\n"
		mounts2 = "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	)
	none := math.Inf(1)
	for name, c := range map[string]struct {
		groups, mounts string
		files          map[string]string
		want           float64
	}{
		"version 2":              {groups2, mounts2, map[string]string{"sys/fs/cgroup/pod/one/cpu.max": "150000 100000\n"}, 1.5},
		"version 2, no limit":    {groups2, mounts2, map[string]string{"sys/fs/cgroup/pod/one/cpu.max": "max 100000\n"}, none},
		"a lower limit above":    {groups2, mounts2, map[string]string{"sys/fs/cgroup/pod/one/cpu.max": "400000 100000\n", "sys/fs/cgroup/pod/cpu.max": "50000 100000\n"}, 0.5},
		"a higher limit above":   {groups2, mounts2, map[string]string{"sys/fs/cgroup/pod/one/cpu.max": "100000 100000\n", "sys/fs/cgroup/pod/cpu.max": "300000 100000\n"}, 1},
		"a container's own root": {"0::/\n", mounts2, map[string]string{"sys/fs/cgroup/cpu.max": "200000 100000\n"}, 2},
		"a mounted part":         {groups2, strings.Replace(mounts2, "0:26 / ", "0:26 /pod ", 1), map[string]string{"sys/fs/cgroup/one/cpu.max": "100000 100000\n"}, 1},
		"a group outside":        {"0::/../other\n", mounts2, map[string]string{"sys/fs/cgroup/cpu.max": "100000 100000\n"}, 1},
		"version 1": {groups1, mounts1, map[string]string{"sys/fs/cgroup/cpu/pod/one/cpu.cfs_quota_us": "250000\n", "sys/fs/cgroup/cpu/pod/one/cpu.cfs_period_us": "100000\n",
			"sys/fs/cgroup/unified/cpu.max": "100000 100000\n"}, 2.5},
		"version 1, no limit": {groups1, mounts1, map[string]string{"sys/fs/cgroup/cpu/pod/one/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu/pod/one/cpu.cfs_period_us": "100000\n"}, none},
		"nonsense":            {groups2, mounts2, map[string]string{"sys/fs/cgroup/pod/one/cpu.max": "x 0\n", "sys/fs/cgroup/pod/cpu.max": "1 0\n", "sys/fs/cgroup/cpu.max": "1\n"}, none},
		"no files":            {groups2, mounts2, nil, none},
		"broken lists":        {"0\n\n1:cpu\n", "29 23 - \n\n - a\n", nil, none},
		"no mounts":           {groups1, "", nil, none},
	} {
		files := map[string]string{"proc/self/cgroup": c.groups, "proc/self/mountinfo": c.mounts}
		for name, text := range c.files {
			files[name] = text
		}
		if got := quota(write(t, files)); got != c.want {
			t.Errorf("%s: the quota is %g, want %g", name, got, c.want)
		}
	}
	if got := quota(t.TempDir()); got != none {
		t.Errorf("without files, the quota is %g", got)
	}
	for q, want := range map[float64]int{0.01: 1, 0.5: 1, 1: 1, 1.4: 1, 1.5: 2, 2.2: 2, 64: 64, none: math.MaxInt32} {
		if got := threadsOf(q); got != want {
			t.Errorf("a quota of %g allows %d threads, want %d", q, got, want)
		}
	}
}

// report is the variable of the environment that makes TestMain print what this process may use.
const report = "PAR_TEST_REPORT"

func TestMain(m *testing.M) {
	if os.Getenv(report) != "" {
		r := self()
		fmt.Println(r.procs, r.cpus, r.quota, r.processors, r.claimed)
		return
	}
	os.Exit(m.Run())
}

// reported is what a process prints that TestMain reports on.
type reported struct {
	procs, cpus         int
	quota               float64
	processors, claimed int
}

// self is what this process may use.
func self() reported {
	return reported{runtime.GOMAXPROCS(0), runtime.NumCPU(), quota(""), Processors(), Claim(1000)}
}

// child starts this test's executable, which reports what it may use. If group is not empty, the child
// first enters the control group with this folder.
func child(t *testing.T, group string, env ...string) (r reported) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	if group != "" {
		cmd = exec.Command("sh", "-c", `echo $$ > "$1/cgroup.procs" && exec "$2"`, "sh", group, exe)
	}
	cmd.Env = append(append(cmd.Environ(), report+"=1"), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := fmt.Sscan(string(out), &r.procs, &r.cpus, &r.quota, &r.processors, &r.claimed); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return r
}

// newGroup makes a control group whose quota is one processor, and returns its folder. The folder is
// "" if this process may not make control groups, or may not start processes in them.
func newGroup(t *testing.T) string {
	base := fmt.Sprintf("graphc-par-test-%d", os.Getpid())
	for _, g := range []struct{ parent, file, text string }{
		{"/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "100000"}, // version 1, whose usual period is 100 ms
		{"/sys/fs/cgroup", "cpu.max", "100000 100000"},
	} {
		dir := filepath.Join(g.parent, base)
		if _, err := os.Stat(filepath.Join(g.parent, "cgroup.procs")); err != nil || os.Mkdir(dir, 0o777) != nil {
			continue
		}
		t.Cleanup(func() {
			err := os.Remove(dir)
			for range 20 { // the group may still be busy for a moment after its last process has ended
				if err == nil {
					return
				}
				time.Sleep(50 * time.Millisecond)
				err = os.Remove(dir)
			}
			t.Error(err)
		})
		if _, err := os.Stat(filepath.Join(dir, g.file)); err != nil || os.WriteFile(filepath.Join(dir, g.file), []byte(g.text), 0o666) != nil {
			continue
		}
		if exec.Command("sh", "-c", `echo $$ > "$1/cgroup.procs"`, "sh", dir).Run() == nil {
			return dir
		}
	}
	return ""
}

// TestQuotaOfProcess starts a process whose quota is one processor: it uses one thread, although the
// Go run time sets GOMAXPROCS to 2 on machines with more processors. This needs the right to make a
// control group. Where it is missing, the test covers only that a process uses the threads that the
// real files of its own control groups allow; TestQuota covers how the files are read. If an emulator runs
// this program, the system cannot start it, and the test covers only its own process.
func TestQuotaOfProcess(t *testing.T) {
	if exe, err := os.Executable(); err == nil && errors.Is(exec.Command(exe, "-test.list=^$").Run(), syscall.ENOEXEC) {
		r := self()
		Release(r.claimed)
		if want := min(r.procs, r.cpus, threadsOf(r.quota)); r.processors != want || r.claimed != want {
			t.Errorf("%+v: this process uses %d threads and claims %d, want %d", r, r.processors, r.claimed, want)
		}
		return
	}
	free := child(t, "", "GOMAXPROCS=")
	if want := min(free.procs, free.cpus, threadsOf(free.quota)); free.processors != want || free.claimed != want {
		t.Errorf("%+v: a process uses %d threads and claims %d, want %d", free, free.processors, free.claimed, want)
	}
	if one := child(t, "", "GOMAXPROCS=1"); one.processors != 1 || one.claimed != 1 {
		t.Errorf("%+v: a process with GOMAXPROCS=1 uses several threads", one)
	}
	group := newGroup(t)
	if group == "" {
		t.Log("this process may not make a control group, so no process with a quota was started")
		return
	}
	for _, env := range []string{"GOMAXPROCS=", "GOMAXPROCS=8"} {
		if r := child(t, group, env); r.quota != 1 || r.processors != 1 || r.claimed != 1 {
			t.Errorf("%s: %+v: a process with a quota of one processor uses %d threads", env, r, r.processors)
		}
	}
}
