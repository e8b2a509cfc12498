package elem

import "github.com/graphc/graphc/rt/mem"

// countTexts counts the bytes of n strings against the run's budget. Each is a concatenation of a
// string of a and a string of b. a and b have n strings each, or one string that is part of all
// results.
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
