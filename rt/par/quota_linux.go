package par

import (
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// quota returns how many processors the control groups of this process allow it to use on average. It
// returns +Inf if they have no limit, or if the limit is unknown. The parameter root is a prefix of
// all paths; it is empty except in tests.
//
// The Go run time also reads the limit, but rounds it up and never uses less than two processors.
func quota(root string) float64 {
	groups, err := os.ReadFile(root + "/proc/self/cgroup")
	if err != nil {
		return math.Inf(1)
	}
	mounts, err := os.ReadFile(root + "/proc/self/mountinfo")
	if err != nil {
		return math.Inf(1)
	}
	// The limit is in the hierarchy of version 1 that has the controller cpu or, if there is none, in
	// the hierarchy of version 2.
	kind, group := "", ""
	for line := range strings.Lines(string(groups)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(f) < 3:
		case slices.Contains(strings.Split(f[1], ","), "cpu"):
			kind, group = "cgroup", f[2]
		case f[0] == "0" && kind == "":
			kind, group = "cgroup2", f[2]
		}
	}
	least := math.Inf(1)
	for line := range strings.Lines(string(mounts)) {
		mount, system, _ := strings.Cut(strings.TrimSpace(line), " - ")
		m, s := strings.Fields(mount), strings.Fields(system)
		if len(m) < 5 || len(s) < 3 || s[0] != kind || kind == "cgroup" && !slices.Contains(strings.Split(s[2], ","), "cpu") {
			continue
		}
		rest := group
		if m[3] != "/" { // only this part of the hierarchy is mounted
			rest = strings.TrimPrefix(group, m[3])
		}
		for dir := path.Clean("/" + rest); ; dir = path.Dir(dir) {
			least = min(least, limit(root+m[4]+dir))
			if dir == "/" {
				break
			}
		}
	}
	return least
}

// limit returns the limit of the control group in the folder dir, or +Inf if it has none.
func limit(dir string) float64 {
	if f := fields(dir + "/cpu.max"); len(f) == 2 {
		return ratio(f[0], f[1])
	}
	quota, period := fields(dir+"/cpu.cfs_quota_us"), fields(dir+"/cpu.cfs_period_us")
	if len(quota) == 1 && len(period) == 1 {
		return ratio(quota[0], period[0])
	}
	return math.Inf(1)
}

// fields returns the words in a file, or nil if the file cannot be read.
func fields(name string) []string {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return strings.Fields(string(data))
}

// ratio returns quota/period, or +Inf if quota is not a positive number. Without a limit, quota is the
// word max in version 2, and -1 in version 1.
func ratio(quota, period string) float64 {
	q, err := strconv.ParseFloat(quota, 64)
	if err != nil || !(q > 0) {
		return math.Inf(1)
	}
	p, err := strconv.ParseFloat(period, 64)
	if err != nil || !(p > 0) {
		return math.Inf(1)
	}
	return q / p
}
