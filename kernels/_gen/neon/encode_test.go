package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/encodings.txt with llvm-mc")

const recorded = "testdata/encodings.txt"

// samples returns the instructions whose encodings are recorded. Each opcode occurs with low, high
// and mixed register numbers and with the least and greatest value of its immediate.
func samples() (asm []string, words []uint32) {
	limits := map[form][]int{
		left32: {0, 1, 16, 31}, left64: {0, 1, 52, 63}, right32: {1, 16, 31, 32}, right64: {1, 52, 64}, narrow16: {1, 16},
		element: {0, 1, 2, 3}, lane32: {0, 1, 2, 3}, lane64: {0, 1},
	}
	for _, name := range slices.Sorted(maps.Keys(opcodes)) {
		o := opcodes[name]
		imms := limits[o.form]
		if imms == nil {
			imms = []int{0}
		}
		for _, imm := range imms {
			for _, r := range [][3]int{{0, 1, 2}, {31, 30, 29}, {17, 4, 24}, {8, 16, 1}} {
				asm = append(asm, o.asm(r[0], r[1], r[2], imm))
				words = append(words, o.encode(r[0], r[1], r[2], imm))
			}
		}
	}
	return
}

// assemble returns the words that llvm-mc makes of the instructions, or false if llvm-mc is not
// installed.
func assemble(t *testing.T, asm []string) ([]uint32, bool) {
	t.Helper()
	mc, err := exec.LookPath("llvm-mc")
	if err != nil {
		return nil, false
	}
	c := exec.Command(mc, "-triple=aarch64", "-mattr=+neon,+dotprod", "-show-encoding")
	c.Stdin = strings.NewReader(strings.Join(asm, "\n") + "\n")
	out, err := c.Output()
	if err != nil {
		t.Fatalf("llvm-mc: %v", err)
	}
	var words []uint32
	for _, b := range regexp.MustCompile(`encoding: \[0x(..),0x(..),0x(..),0x(..)\]`).FindAllStringSubmatch(string(out), -1) {
		var w uint32
		if _, err := fmt.Sscanf(b[4]+b[3]+b[2]+b[1], "%x", &w); err != nil {
			t.Fatal(err)
		}
		words = append(words, w)
	}
	if len(words) != len(asm) {
		t.Fatalf("llvm-mc gives %d words for %d instructions", len(words), len(asm))
	}
	return words, true
}

// TestEncodings compares the encoder with the recorded words of another assembler.
func TestEncodings(t *testing.T) {
	asm, words := samples()
	if *update {
		theirs, ok := assemble(t, asm)
		if !ok {
			t.Fatal("no other assembler here")
		}
		var b strings.Builder
		for i, s := range asm {
			fmt.Fprintf(&b, "%08x %s\n", theirs[i], s)
		}
		if err := os.WriteFile(recorded, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != len(asm) {
		t.Fatalf("%d encodings recorded, want %d", len(lines), len(asm))
	}
	for i, s := range asm {
		if got := fmt.Sprintf("%08x %s", words[i], s); got != lines[i] {
			t.Errorf("encoded %q, recorded %q", got, lines[i])
		}
	}
}

// TestCommittedWords assembles the mnemonic beside every WORD of the committed files.
func TestCommittedWords(t *testing.T) {
	known := map[string]string{}
	for _, f := range targets {
		name := filepath.Join("..", f.dir, f.name+".s")
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		words := regexp.MustCompile(`(?m)^\s*WORD \$(0x[0-9a-f]{8}) // (.*)$`).FindAllStringSubmatch(string(text), -1)
		for _, m := range words {
			known[m[2]] = m[1]
		}
		if n := strings.Count(string(text), "WORD"); n == 0 || n != len(words) {
			t.Errorf("%s: %d of %d words have a mnemonic", name, len(words), n)
		}
	}
	asm := slices.Sorted(maps.Keys(known))
	words, ok := assemble(t, asm)
	if !ok {
		t.Skip("no other assembler here")
	}
	for i, s := range asm {
		if w := fmt.Sprintf("0x%08x", words[i]); w != known[s] {
			t.Errorf("%s is %s, written %s", s, w, known[s])
		}
	}
}

// TestCommitted compares the committed files with newly generated ones.
func TestCommitted(t *testing.T) {
	for _, g := range targets {
		for name, want := range g.files() {
			got, err := os.ReadFile(filepath.Join("..", name))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != want {
				t.Errorf("%s is not what the generator writes: run go generate", name)
			}
		}
	}
}
