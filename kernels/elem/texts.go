package elem

import "github.com/graphc/graphc/rt/mem"

// countTexts counts the bytes of n results against the run's budget. Each result is the concatenation of
// two strings, one from each of the two slices. A slice has n strings, or a single string that is part
// of all results.
func countTexts(run *mem.Budget, n int, a, b []string) {
	total := 0
	for _, o := range [...][]string{a, b} {
		if n > 0 && len(o) < n {
			total = mem.Add(total, mem.Mul(n, len(o[0])))
			continue
		}
		for _, t := range o[:n] {
			total = mem.Add(total, len(t))
		}
	}
	run.MustMake(total)
}
