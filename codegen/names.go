package codegen

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/graphc/graphc/plan/names"
)

// quote returns a name from a graph as a Go string literal. Control and bidirectional characters
// are escaped, so that neither readers nor tools misread the name.
func quote(s string) string {
	const most = 100
	if len(s) > most {
		s = beginning(s, most) + "…"
	}
	return strconv.Quote(s)
}

// beginning returns the longest prefix of s that has at most n bytes and does not end within a
// character.
func beginning(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// plain returns s without the characters other than ASCII letters, digits, dots, dashes,
// underscores and plus signs.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune(".-+_", r) {
			return r
		}
		return -1
	}, s)
}

// Identifiers of emitted code have at most 40 characters. Names made from one name of the model are
// shorter, because more text may be added to them: for example, Fetch before the name of a field,
// Segment12Part3 after the prefix of a signature, or a number at the end of any name.
const (
	maxMethod = 32
	maxField  = 33
	maxLocal  = 32
	maxPrefix = 24
	maxRanks  = 8
)

// maxFileName is the largest number of bytes in a file name that come from a name of the model.
// File systems accept 255 bytes, and our names have suffixes.
const maxFileName = 120

// exported makes an exported Go identifier from a name of the model. For example, serving_default
// becomes ServingDefault. A tensor's suffix ":0" is dropped. The parameter most is the largest
// length of the identifier. If a name with slashes needs a longer identifier, only its last
// elements are used. For a name without letters and digits, the result is "".
func exported(name string, most int) string {
	s := names.LastWords(strings.TrimSuffix(name, ":0"), most)
	if r, _ := utf8.DecodeRuneInString(s); s != "" && !unicode.IsUpper(r) {
		s = "X" + s // a digit, or a letter without case
	}
	if s != "" && !token.IsIdentifier(s) {
		return ""
	}
	return s
}

// scope is a set of names in use; its methods choose unused ones.
type scope map[string]bool

// take returns the first of the names base, base2, base3, … that is unused in combination with each
// of the suffixes. It marks these combinations as used.
func (s scope) take(base string, suffixes ...string) string {
	for i := 1; ; i++ {
		name := base
		if i > 1 {
			name = fmt.Sprintf("%s%d", base, i)
		}
		free := true
		for _, suffix := range suffixes {
			free = free && !s[name+suffix]
		}
		if !free {
			continue
		}
		for _, suffix := range suffixes {
			s[name+suffix] = true
		}
		return name
	}
}

// platforms are the suffixes of file names that have a meaning to the go command.
var platforms = strings.Fields("aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd " +
	"plan9 solaris wasip1 windows zos 386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le " +
	"mips64p32 mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm test unix")

// devices are names that Windows reserves for devices, with any extension.
var devices = strings.Fields("con prn aux nul com0 com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt0 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9")

// fileBase cuts a file name to maxFileName bytes. It appends _gen if the go command would take the
// end of the name for a platform, or Windows would take the name for a device.
func fileBase(s string) string {
	s = beginning(s, maxFileName)
	if meant(s) {
		return s + "_gen"
	}
	return s
}

// meant reports whether a file name has a special meaning to the go command or to Windows.
func meant(s string) bool {
	last := s[strings.LastIndex(s, "_")+1:]
	return slices.Contains(devices, strings.ToLower(s)) || last != s && slices.Contains(platforms, last)
}

// file returns an unused file name that begins like base. The name, including its number if it
// needs one, has no special meaning to the go command or to Windows.
func (s scope) file(base string) string {
	for base = fileBase(base); ; base += "_gen" {
		if name := s.take(base, ""); !meant(name) {
			return name
		}
	}
}

// snake converts an identifier to lower case with underscores.
func snake(s string) string {
	var b strings.Builder
	rs := []rune(s)
	for i, r := range rs {
		if unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(rs[i-1]) || i+1 < len(rs) && unicode.IsLower(rs[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// name chooses all names of the package.
func (e *emitter) name() error {
	if err := e.nameMethods(); err != nil {
		return err
	}
	files := scope{e.Name: true, e.Name + "_weights": true, "main": true}
	prefixes := scope{}
	for _, n := range e.entries {
		n.prefix = prefixes.take(names.Unexported(names.Cut(n.method, n.sig.Name, n.maxPrefix())), n.endings()...)
		for i := range n.sig.Feeds {
			n.feeds = append(n.feeds, n.sig.Feeds[i].Field)
		}
		for i := range n.sig.Fetches {
			n.fetches = append(n.fetches, n.sig.Fetches[i].Field)
		}
	}
	if e.init != nil {
		e.init.entry.prefix = prefixes.take("init", "")
	}
	whole := slices.Clone(e.calls)
	if e.init != nil {
		whole = append(whole, e.init)
	}
	for _, s := range whole {
		s.prefix, s.file = s.entry.prefix, e.Name+"_"+snake(s.method)
		if s == e.init {
			s.file = e.Name + "_" + s.prefix
		}
		if len(s.variants) > 1 {
			s.prefix = prefixes.take(s.prefix+s.rankName(), s.endings()...)
			s.file += "_" + snake(s.rankName())
		}
		if s.of != nil { // a signature without its own code needs no file
			s.dims = s.sizesOfPlan()
			continue
		}
		for k, q := range s.parts {
			q.prefix = prefixes.take(fmt.Sprintf("%sPart%d", s.prefix, k), q.endings()...)
			q.file = files.file(fmt.Sprintf("%s_part%d", s.file, k))
			q.read()
		}
		s.file = files.file(s.file)
		s.read()
	}
	return nil
}

// endings returns the suffixes that the emitted code appends to the signature's prefix: "", and also
// "Work" if the signature runs on a device other than a CPU.
func (s *signature) endings() []string {
	if s.accelerated() {
		return []string{"", "Work"}
	}
	return []string{""}
}

// endings returns the suffixes that the emitted code appends to the prefix of the whole entry. They
// depend only on the device, which is the same for all variants.
func (n *entry) endings() []string { return n.variants[0].endings() }

// read prepares the tables in which a signature's printer looks up sizes, names and buffers.
func (s *signature) read() {
	s.dims = s.sizesOfPlan()
	s.reserved = reserve(s.plan)
	s.devRoot, s.devVars = index(s.layout.Device.Roots), index(s.plan.DeviceVars())
	s.root, s.grown = index(s.layout.Roots), index(s.layout.Grown)
}

// sizesOfPlan returns the symbols that are read from the feeds' shapes.
func (s *signature) sizesOfPlan() map[string]bool {
	dims := map[string]bool{}
	for _, d := range s.plan.Dims {
		dims[d.Name] = true
	}
	return dims
}

// methodName returns the default name of a signature's method.
func methodName(signature string) string {
	if base := exported(signature, maxMethod); base != "" {
		return base
	}
	return "Predict"
}

// rankName returns a suffix that distinguishes the variants of a signature, such as Rank2x0. It has
// the ranks of those feeds whose ranks differ between variants.
func (s *signature) rankName() string {
	var ranks []string
	for i, p := range s.entry.sig.Feeds {
		if p.AnyRank && p.Ranks != nil {
			ranks = append(ranks, strconv.Itoa(s.plan.Ranks[i]))
		}
	}
	return "Rank" + names.Cut(strings.Join(ranks, "x"), strings.Join(ranks, "x"), maxRanks-len("Rank"))
}

// maxPrefix returns the largest allowed length of the prefix of a signature's names. It leaves
// space for the suffixes for ranks and parts, if the emitted code appends any.
func (n *entry) maxPrefix() int {
	most := maxPrefix
	if len(n.variants) > 1 {
		most -= maxRanks
	}
	if n.variants[0].parts != nil {
		most -= len("Part10")
	}
	return most
}

func index[T comparable](vs []T) map[T]int {
	m := map[T]int{}
	for i, v := range vs {
		m[v] = i
	}
	return m
}
