package main

import "fmt"

// form is the encoding of an instruction's operands.
type form int

const (
	three    form = iota // Rd, Rn, Rm
	two                  // Rd, Rn
	left32               // Rd, Rn, a left shift of 32-bit elements
	left64               // Rd, Rn, a left shift of 64-bit elements
	right32              // Rd, Rn, a right shift of 32-bit elements
	right64              // Rd, Rn, a right shift of 64-bit elements
	narrow16             // Rd, Rn, a right shift that leaves 16-bit elements
	element              // Rd, Rn, one 32-bit element of Rm
	lane32               // Rd, one 32-bit element of Rn
	lane64               // Rd, one 64-bit element of Rn
	table                // Rd, Rn, Rm; the table is in the registers Rn and Rn+1
	same                 // Rd, Rn, which is also Rm
)

// opcode is one vector instruction. In its texts, operands 1 to 4 are Rd, Rn, Rm and the immediate.
// An instruction that Go's assembler does not know has no goText and is written as a WORD.
type opcode struct {
	word     uint32
	form     form
	mnemonic string
	goText   string
	reads    bool // the instruction also reads Rd
}

const (
	fff = "v%[1]d.4s, v%[2]d.4s, v%[3]d.4s"
	ddd = "v%[1]d.2d, v%[2]d.2d, v%[3]d.2d"
	bbb = "v%[1]d.16b, v%[2]d.16b, v%[3]d.16b"
	ff  = "v%[1]d.4s, v%[2]d.4s"
	dd  = "v%[1]d.2d, v%[2]d.2d"
	gof = "V%[3]d.S4, V%[2]d.S4, V%[1]d.S4"
	god = "V%[3]d.D2, V%[2]d.D2, V%[1]d.D2"
	gob = "V%[3]d.B16, V%[2]d.B16, V%[1]d.B16"
)

// opcodes are the instructions the kernels use, from the Arm Architecture Reference
// Manual, C7.2. A test compares them with another assembler's output.
var opcodes = map[string]opcode{
	"fadd":    {0x4e20d400, three, "fadd " + fff, "", false},
	"fsub":    {0x4ea0d400, three, "fsub " + fff, "", false},
	"fmul":    {0x6e20dc00, three, "fmul " + fff, "", false},
	"fdiv":    {0x6e20fc00, three, "fdiv " + fff, "", false},
	"fmax":    {0x4e20f400, three, "fmax " + fff, "", false},
	"fmin":    {0x4ea0f400, three, "fmin " + fff, "", false},
	"fmla":    {0x4e20cc00, three, "fmla " + fff, "VFMLA " + gof, true},
	"fmls":    {0x4ea0cc00, three, "fmls " + fff, "VFMLS " + gof, true},
	"fmlai":   {0x4f801000, element, "fmla v%[1]d.4s, v%[2]d.4s, v%[3]d.s[%[4]d]", "", true},
	"frecps":  {0x4e20fc00, three, "frecps " + fff, "", false},
	"fcmeq":   {0x4e20e400, three, "fcmeq " + fff, "", false},
	"fcmge":   {0x6e20e400, three, "fcmge " + fff, "", false},
	"fcmgt":   {0x6ea0e400, three, "fcmgt " + fff, "", false},
	"faddp":   {0x6e20d400, three, "faddp " + fff, "", false},
	"faddd":   {0x4e60d400, three, "fadd " + ddd, "", false},
	"fsubd":   {0x4ee0d400, three, "fsub " + ddd, "", false},
	"fmuld":   {0x6e60dc00, three, "fmul " + ddd, "", false},
	"fdivd":   {0x6e60fc00, three, "fdiv " + ddd, "", false},
	"fmaxd":   {0x4e60f400, three, "fmax " + ddd, "", false},
	"fmind":   {0x4ee0f400, three, "fmin " + ddd, "", false},
	"fmlad":   {0x4e60cc00, three, "fmla " + ddd, "VFMLA " + god, true},
	"fmlsd":   {0x4ee0cc00, three, "fmls " + ddd, "VFMLS " + god, true},
	"faddpd":  {0x6e60d400, three, "faddp " + ddd, "", false},
	"fabs":    {0x4ea0f800, two, "fabs " + ff, "", false},
	"fabsd":   {0x4ee0f800, two, "fabs " + dd, "", false},
	"fneg":    {0x6ea0f800, two, "fneg " + ff, "", false},
	"fnegd":   {0x6ee0f800, two, "fneg " + dd, "", false},
	"fsqrt":   {0x6ea1f800, two, "fsqrt " + ff, "", false},
	"fsqrtd":  {0x6ee1f800, two, "fsqrt " + dd, "", false},
	"frecpe":  {0x4ea1d800, two, "frecpe " + ff, "", false},
	"frintm":  {0x4e219800, two, "frintm " + ff, "", false},
	"frintp":  {0x4ea18800, two, "frintp " + ff, "", false},
	"frintn":  {0x4e218800, two, "frintn " + ff, "", false},
	"fcvtl":   {0x0e617800, two, "fcvtl v%[1]d.2d, v%[2]d.2s", "", false},
	"fcvtl2":  {0x4e617800, two, "fcvtl2 v%[1]d.2d, v%[2]d.4s", "", false},
	"fcvtn":   {0x0e616800, two, "fcvtn v%[1]d.2s, v%[2]d.2d", "", false},
	"fcvtn2":  {0x4e616800, two, "fcvtn2 v%[1]d.4s, v%[2]d.2d", "", true},
	"fcvtlh":  {0x0e217800, two, "fcvtl v%[1]d.4s, v%[2]d.4h", "", false},
	"fcvtlh2": {0x4e217800, two, "fcvtl2 v%[1]d.4s, v%[2]d.8h", "", false},
	"fcvtnh":  {0x0e216800, two, "fcvtn v%[1]d.4h, v%[2]d.4s", "", false},
	"fmaxv":   {0x6e30f800, two, "fmaxv s%[1]d, v%[2]d.4s", "", false},
	"fminv":   {0x6eb0f800, two, "fminv s%[1]d, v%[2]d.4s", "", false},
	"umaxv":   {0x6eb0a800, two, "umaxv s%[1]d, v%[2]d.4s", "", false},
	"shllh":   {0x2e613800, two, "shll v%[1]d.4s, v%[2]d.4h, #16", "", false},
	"shllh2":  {0x6e613800, two, "shll2 v%[1]d.4s, v%[2]d.8h, #16", "", false},
	"mov":     {0x4ea01c00, same, "mov v%[1]d.16b, v%[2]d.16b", "VMOV V%[2]d.B16, V%[1]d.B16", false},
	"and":     {0x4e201c00, three, "and " + bbb, "VAND " + gob, false},
	"bic":     {0x4e601c00, three, "bic " + bbb, "", false},
	"orr":     {0x4ea01c00, three, "orr " + bbb, "VORR " + gob, false},
	"eor":     {0x6e201c00, three, "eor " + bbb, "VEOR " + gob, false},
	"bsl":     {0x6e601c00, three, "bsl " + bbb, "VBSL " + gob, true},
	"bit":     {0x6ea01c00, three, "bit " + bbb, "VBIT " + gob, true},
	"add":     {0x4ea08400, three, "add " + fff, "VADD " + gof, false},
	"sub":     {0x6ea08400, three, "sub " + fff, "VSUB " + gof, false},
	"mul":     {0x4ea09c00, three, "mul " + fff, "", false},
	"mulh":    {0x4e609c00, three, "mul v%[1]d.8h, v%[2]d.8h, v%[3]d.8h", "", false},
	"sdot":    {0x4e809400, three, "sdot v%[1]d.4s, v%[2]d.16b, v%[3]d.16b", "", true},
	"sdoti":   {0x4f80e000, element, "sdot v%[1]d.4s, v%[2]d.16b, v%[3]d.4b[%[4]d]", "", true},
	"sadalp":  {0x4e606800, two, "sadalp v%[1]d.4s, v%[2]d.8h", "", true},
	"uadalp":  {0x6e606800, two, "uadalp v%[1]d.4s, v%[2]d.8h", "", true},
	"uaddlp":  {0x6e202800, two, "uaddlp v%[1]d.8h, v%[2]d.16b", "", false},
	"uaddlv":  {0x6eb03800, two, "uaddlv d%[1]d, v%[2]d.4s", "VUADDLV V%[2]d.S4, V%[1]d", false},
	"addp":    {0x4ea0bc00, three, "addp " + fff, "VADDP " + gof, false},
	"sxtl":    {0x0f08a400, two, "sxtl v%[1]d.8h, v%[2]d.8b", "", false},
	"sxtl2":   {0x4f08a400, two, "sxtl2 v%[1]d.8h, v%[2]d.16b", "", false},
	"sxtlh":   {0x0f10a400, two, "sxtl v%[1]d.4s, v%[2]d.4h", "", false},
	"sxtlh2":  {0x4f10a400, two, "sxtl2 v%[1]d.4s, v%[2]d.8h", "", false},
	"uxtl":    {0x2f08a400, two, "uxtl v%[1]d.8h, v%[2]d.8b", "VUXTL V%[2]d.B8, V%[1]d.H8", false},
	"scvtf":   {0x4e21d800, two, "scvtf " + ff, "", false},
	"fcvtns":  {0x4e21a800, two, "fcvtns " + ff, "", false},
	"uzp1h":   {0x4e401800, three, "uzp1 v%[1]d.8h, v%[2]d.8h, v%[3]d.8h", "VUZP1 V%[3]d.H8, V%[2]d.H8, V%[1]d.H8", false},
	"uzp1b":   {0x4e001800, three, "uzp1 " + bbb, "VUZP1 " + gob, false},
	"addd":    {0x4ee08400, three, "add " + ddd, "VADD " + god, false},
	"subd":    {0x6ee08400, three, "sub " + ddd, "VSUB " + god, false},
	"shl":     {0x4f005400, left32, "shl v%[1]d.4s, v%[2]d.4s, #%[4]d", "VSHL $%[4]d, V%[2]d.S4, V%[1]d.S4", false},
	"shld":    {0x4f005400, left64, "shl v%[1]d.2d, v%[2]d.2d, #%[4]d", "VSHL $%[4]d, V%[2]d.D2, V%[1]d.D2", false},
	"sshr":    {0x4f000400, right32, "sshr v%[1]d.4s, v%[2]d.4s, #%[4]d", "", false},
	"sshrd":   {0x4f000400, right64, "sshr v%[1]d.2d, v%[2]d.2d, #%[4]d", "", false},
	"ushr":    {0x6f000400, right32, "ushr v%[1]d.4s, v%[2]d.4s, #%[4]d", "VUSHR $%[4]d, V%[2]d.S4, V%[1]d.S4", false},
	"ushrd":   {0x6f000400, right64, "ushr v%[1]d.2d, v%[2]d.2d, #%[4]d", "VUSHR $%[4]d, V%[2]d.D2, V%[1]d.D2", false},
	"shrnh":   {0x0f008400, narrow16, "shrn v%[1]d.4h, v%[2]d.4s, #%[4]d", "", false},
	"dup":     {0x4e000400, lane32, "dup v%[1]d.4s, v%[2]d.s[%[4]d]", "VDUP V%[2]d.S[%[4]d], V%[1]d.S4", false},
	"dupd":    {0x4e000400, lane64, "dup v%[1]d.2d, v%[2]d.d[%[4]d]", "VDUP V%[2]d.D[%[4]d], V%[1]d.D2", false},
	"tbl":     {0x4e002000, table, "tbl v%[1]d.16b, {v%[2]d.16b, v%[5]d.16b}, v%[3]d.16b", "VTBL V%[3]d.B16, [V%[2]d.B16, V%[5]d.B16], V%[1]d.B16", false},
	"trn1":    {0x4e802800, three, "trn1 " + fff, "VTRN1 " + gof, false},
	"trn2":    {0x4e806800, three, "trn2 " + fff, "VTRN2 " + gof, false},
	"trn1d":   {0x4ec02800, three, "trn1 " + ddd, "VTRN1 " + god, false},
	"trn2d":   {0x4ec06800, three, "trn2 " + ddd, "VTRN2 " + god, false},
}

// encode returns the instruction's word.
func (o opcode) encode(d, n, m, imm int) uint32 {
	w := o.word | uint32(d) | uint32(n)<<5
	i := uint32(imm)
	switch o.form {
	case three, table:
		w |= uint32(m) << 16
	case same:
		w |= uint32(n) << 16
	case element: // the index is in bits H:L, the number of Rm in bits M:Rm
		w |= uint32(m)<<16 | i&1<<21 | i>>1<<11
	case left32:
		w |= (32 + i) << 16
	case left64:
		w |= (64 + i) << 16
	case right32:
		w |= (64 - i) << 16
	case right64:
		w |= (128 - i) << 16
	case narrow16:
		w |= (32 - i) << 16
	case lane32:
		w |= (i<<3 | 4) << 16
	case lane64:
		w |= (i<<4 | 8) << 16
	}
	return w
}

// asm returns the mnemonic with its operands, in the syntax of other assemblers.
func (o opcode) asm(d, n, m, imm int) string { return spell(o.mnemonic, d, n, m, imm) }

// line returns the instruction for Go's assembler.
func (o opcode) line(d, n, m, imm int) string {
	if o.goText != "" {
		return spell(o.goText, d, n, m, imm)
	}
	return fmt.Sprintf("WORD $0x%08x // %s", o.encode(d, n, m, imm), o.asm(d, n, m, imm))
}

func spell(format string, d, n, m, imm int) string { return fmt.Sprintf(format, d, n, m, imm, n+1) }
