package main

// pointers returns n registers that hold addresses. The list begins with the register in the parameter
// first. Each later register gets the previous address plus the contents of the register in the
// parameter step.
func (f *fn) pointers(n int, first, step string) []string {
	list := []string{first}
	for range n - 1 {
		r := f.gp()
		f.line("ADD %s, %s, %s", step, list[len(list)-1], r)
		list = append(list, r)
	}
	return list
}

// fours writes a loop of count steps: first four at a time, then one by one. The label done follows
// the loop. The function steps writes the code of n steps; op is the instruction that loads n
// elements of 32 bits.
func (f *fn) fours(count, done string, steps func(n int, op string)) {
	f.line("SUBS $4, %s, %s", count, count)
	f.jump("BLT", "", "tail")
	f.label("four")
	steps(4, "FMOVQ")
	f.line("SUBS $4, %s, %s", count, count)
	f.jump("BGE", "", "four")
	f.label("tail")
	f.line("ADDS $4, %s, %s", count, count)
	f.jump("BEQ", "", done)
	f.label("single")
	steps(1, "FMOVS")
	f.line("SUBS $1, %s, %s", count, count)
	f.jump("BNE", "", "single")
	f.label(done)
}
