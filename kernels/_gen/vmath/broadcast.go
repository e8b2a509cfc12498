package main

import (
	"flag"
	"log"
	"os"
	"regexp"
	"strings"
)

// A constant vector whose words are all equal is stored for AVX2, in 32 bytes. The linker aligns it to
// 32 bytes at most, so half of the loads of 64 bytes would cross two cache lines. Instructions of
// AVX-512 therefore read a single word of the constant and broadcast it.

// wideUse matches an instruction that reads a constant vector into a 512-bit register: its name, its
// immediate operand, the constant, and the other operands.
var wideUse = regexp.MustCompile(`(?m)^\t([A-Z0-9.]+)( +)(\$0x[0-9a-f]+, )?((?:w[0-9a-f]{8}|q[0-9a-f]{16})<>\+0\(SB\))((?:, [KZ][0-9]+)+)$`)

// broadcastConstants rewrites the assembly that Generate has written, so that instructions on 512-bit
// registers broadcast their constants.
func broadcastConstants() {
	name := flag.Lookup("out").Value.String()
	text, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	err = os.WriteFile(name, wideUse.ReplaceAllFunc(text, func(line []byte) []byte {
		m := wideUse.FindSubmatch(line)
		op, constant, rest := string(m[1]), string(m[4]), string(m[5])
		if !strings.Contains(rest, "Z") {
			return line
		}
		double := constant[0] == 'q'
		switch name, zero, _ := strings.Cut(op, "."); {
		case strings.HasPrefix(name, "VMOV") && double:
			op = "VBROADCASTSD"
		case strings.HasPrefix(name, "VMOV"):
			op = "VBROADCASTSS"
		case double != (strings.HasSuffix(name, "D") && name[len(name)-2] == 'P' || strings.HasSuffix(name, "Q")):
			log.Fatalf("the words of %s do not have the size of an element: %s", constant, line)
		case zero != "":
			op = name + ".BCST." + zero
		default:
			op = name + ".BCST"
		}
		if strings.HasPrefix(op, "VBROADCAST") && strings.Contains(string(m[1]), ".Z") {
			op += ".Z"
		}
		return []byte("\t" + op + string(m[2]) + string(m[3]) + constant + rest)
	}), 0o644)
	if err != nil {
		log.Fatal(err)
	}
}
