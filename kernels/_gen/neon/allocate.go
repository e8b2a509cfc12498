package main

import (
	"fmt"
	"slices"
)

// registers is the number of vector registers.
const registers = 32

// allocate assigns a number to every virtual register. The constants used most often stay in
// registers, as many as there are free registers. Other constants are loaded at each use.
func (f *fn) allocate() {
	type candidate struct {
		v    V
		uses int
	}
	var all []candidate
	hoists := slices.ContainsFunc(f.code, func(i inst) bool { return i.needsHoisted })
	for v := range f.consts {
		if !hoists {
			break
		}
		n := 0
		for _, i := range f.code {
			if i.op != "mov" && slices.Contains(i.uses, v) {
				n += 1 + 8*i.depth
			}
		}
		if n > 8 {
			all = append(all, candidate{v, n})
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		if a.uses != b.uses {
			return b.uses - a.uses
		}
		return int(a.v - b.v)
	})
	code, fixed := f.code, f.fixed
	for n := len(all); n >= 0; n-- {
		keep := map[V]bool{}
		for _, c := range all[:n] {
			keep[c.v] = true
		}
		f.code, f.fixed = f.place(code, keep), map[V]int{}
		f.prune()
		for v, r := range fixed {
			f.fixed[v] = r
		}
		if f.colour() {
			return
		}
	}
	panic(f.name + ": more live values than registers")
}

// place inserts the loads of constants.
func (f *fn) place(code []inst, keep map[V]bool) []inst {
	var out []inst
	for _, i := range code {
		if i.needsHoisted {
			for v := range f.next + 1 {
				if keep[v] {
					out = append(out, f.poolLoad(v, f.consts[v], 0))
				}
			}
			continue
		}
		if k, ok := f.consts[i.n]; ok && i.op == "mov" && !keep[i.n] {
			l := f.poolLoad(i.d, k, i.depth)
			out = append(out, l)
			continue
		}
		if i.op != "" {
			loaded := map[V]V{}
			swap := func(v V) V {
				k, ok := f.consts[v]
				if !ok || keep[v] {
					return v
				}
				if w, ok := loaded[v]; ok {
					return w
				}
				w := f.reg()
				loaded[v] = w
				out = append(out, f.poolLoad(w, k, i.depth))
				return w
			}
			uses := make([]V, len(i.uses))
			for j, u := range i.uses {
				uses[j] = swap(u)
			}
			i.n = swap(i.n)
			i.m = swap(i.m)
			i.uses = uses
		} else {
			for _, u := range i.uses {
				if _, ok := f.consts[u]; ok && !keep[u] {
					panic(f.name + ": a constant is stored")
				}
			}
		}
		out = append(out, i)
	}
	return out
}

// liveOut returns for each instruction the registers that are read after it.
func (f *fn) liveOut() []map[V]bool {
	at := map[string]int{}
	for i, c := range f.code {
		if c.label != "" {
			at[c.label] = i
		}
	}
	in, out := make([]map[V]bool, len(f.code)+1), make([]map[V]bool, len(f.code))
	for i := range in {
		in[i] = map[V]bool{}
	}
	for i := range out {
		out[i] = map[V]bool{}
	}
	for changed := true; changed; {
		changed = false
		for i := len(f.code) - 1; i >= 0; i-- {
			c := &f.code[i]
			merge := func(from map[V]bool) {
				for v := range from {
					if !out[i][v] {
						out[i][v] = true
						changed = true
					}
				}
			}
			if c.falls {
				merge(in[i+1])
			}
			if c.to != "" && c.to != "-" {
				t, ok := at[c.to]
				if !ok {
					panic(f.name + ": no label " + c.to)
				}
				merge(in[t])
			}
			for v := range out[i] {
				if !slices.Contains(c.defs, v) {
					in[i][v] = true
				}
			}
			for _, v := range c.uses {
				in[i][v] = true
			}
		}
	}
	if len(in[0]) > 0 {
		panic(fmt.Sprintf("%s: read before written: %v", f.name, in[0]))
	}
	return out
}

// prune removes vector instructions whose results are unused.
func (f *fn) prune() {
	for {
		out := f.liveOut()
		n := 0
		var kept []inst
		for i, c := range f.code {
			if c.op != "" && !out[i][c.d] {
				n++
				continue
			}
			kept = append(kept, c)
		}
		if f.code = kept; n == 0 {
			return
		}
	}
}

// colour numbers the registers in the order of their first writes. It returns false if
// there are too few.
func (f *fn) colour() bool {
	out := f.liveOut()
	apart := map[V]map[V]bool{}
	mark := func(a, b V) {
		if a == b {
			return
		}
		for _, p := range [][2]V{{a, b}, {b, a}} {
			if apart[p[0]] == nil {
				apart[p[0]] = map[V]bool{}
			}
			apart[p[0]][p[1]] = true
		}
	}
	like := map[V][]V{}
	for i, c := range f.code {
		for _, d := range c.defs {
			for v := range out[i] {
				if !(c.op == "mov" && v == c.n) {
					mark(d, v)
				}
			}
			for _, e := range c.defs {
				mark(d, e)
			}
		}
		if c.op == "mov" {
			like[c.d] = append(like[c.d], c.n)
			like[c.n] = append(like[c.n], c.d)
		}
	}
	last := 0
	for _, c := range f.code {
		for _, d := range c.defs {
			if _, ok := f.fixed[d]; ok {
				continue
			}
			var taken [registers]bool
			for v := range apart[d] {
				if r, ok := f.fixed[v]; ok {
					taken[r] = true
				}
			}
			best := -1
			for _, v := range like[d] {
				if r, ok := f.fixed[v]; ok && !taken[r] {
					best = r
				}
			}
			// Round-robin reuses a number as late as possible.
			for k := 1; k <= registers && best < 0; k++ {
				if r := (last + k) % registers; !taken[r] {
					best, last = r, r
				}
			}
			if best < 0 {
				return false
			}
			f.fixed[d] = best
		}
	}
	return true
}

// text returns the function in Go's assembly language.
func (f *fn) text() string {
	f.allocate()
	s := fmt.Sprintf("// func %s%s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", f.name, f.signature, f.name, f.frame)
	if f.base != "" {
		s += fmt.Sprintf("\tMOVD $%s<>(SB), %s\n", f.pool.name, f.base)
	}
	for _, i := range f.code {
		switch {
		case i.label != "":
			s += i.label + ":\n"
		case i.op == "mov" && f.fixed[i.d] == f.fixed[i.n]:
		case i.op != "":
			s += "\t" + opcodes[i.op].line(f.fixed[i.d], f.fixed[i.n], f.fixed[i.m], i.imm) + "\n"
		default:
			s += "\t" + i.text() + "\n"
		}
	}
	return s
}
