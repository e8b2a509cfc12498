package ptx

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	stParam = regexp.MustCompile(`^st\.param\.(\w+) \[(\w+)\+0\], ([^;]+);$`)
	ldParam = regexp.MustCompile(`^ld\.param\.(\w+) ([^,]+), \[(\w+)(?:\+0)?\];$`)
	call    = regexp.MustCompile(`^call\.uni (?:\((\w+)\), )?([\w$]+), \(([^)]*)\);$`)
	name    = regexp.MustCompile(`%[a-zA-Z]\w*(?:\.[xyz]\b)?|\$L\w+|\b\w*__local_depot\d+`)
	regDecl = regexp.MustCompile(`^\.reg \.(\w+) (%\w+?)(?:<(\d+)>)?;$`)
)

// special matches the machine's special registers.
var special = regexp.MustCompile(`^%(tid|ntid|ctaid|nctaid|laneid|warpid|clock|clock64|lanemask_\w+)(\.[xyz])?$`)

// inline replaces calls by the bodies of the called functions, so that neither a stack
// nor an ABI is needed.
func (f *Func) inline() error {
	if f.inlined {
		return nil
	}
	f.inlined = true
	var out []string
	args := map[string][2]string{} // for each variable in the .param space: the type and the value stored in it
	count := 0
	pending := "" // the .param variable that receives the result of the previous call
	result := ""
	for _, st := range f.body {
		if v := stParam.FindStringSubmatch(st); v != nil && v[2] != "func_retval0" {
			args[v[2]] = [2]string{v[1], v[3]}
			continue
		}
		if v := call.FindStringSubmatch(st); v != nil {
			g := f.module.funcs[v[2]]
			if g == nil {
				return fmt.Errorf("ptx: %s calls %s, which has no body", f.Name, v[2])
			}
			if err := g.inline(); err != nil {
				return err
			}
			prefix := "c" + strconv.Itoa(count)
			count++
			var values []string
			for _, a := range strings.Split(v[3], ",") {
				if a = strings.TrimSpace(a); a != "" {
					values = append(values, args[a][1])
				}
			}
			result = "%" + prefix + "result"
			kind, decls, body := g.paste(prefix, values, result)
			f.decls = append(f.decls, decls...)
			if kind != "" {
				f.decls = append(f.decls, ".reg ."+kind+" "+result+";")
			}
			out = append(out, body...)
			pending = v[1]
			continue
		}
		if v := ldParam.FindStringSubmatch(st); v != nil && v[3] == pending && pending != "" {
			out = append(out, "mov."+v[1]+" "+v[2]+", "+result+";")
			continue
		}
		out = append(out, st)
	}
	f.body = out
	return nil
}

// paste returns a copy of a function's declarations and body for inclusion in a caller. The
// function's registers and labels get the prefix, and its parameters are replaced by values. The copy
// moves the function's result to the register named by result; kind is the type of this register.
func (f *Func) paste(prefix string, values []string, result string) (kind string, decls, body []string) {
	own := func(s string) string {
		return name.ReplaceAllStringFunc(s, func(n string) string {
			switch {
			case special.MatchString(n):
				return n
			case n[0] == '%':
				return "%" + prefix + n[1:]
			case n[0] == '$':
				return "$L" + prefix + n[2:]
			}
			return prefix + n
		})
	}
	for _, d := range f.decls {
		decls = append(decls, own(d))
	}
	end := "$L" + prefix + "_end"
	jumps := false
	for i, st := range f.body {
		if v := ldParam.FindStringSubmatch(st); v != nil {
			for p, n := range f.Params {
				if n == v[3] {
					body = append(body, "mov."+v[1]+" "+own(v[2])+", "+values[p]+";")
				}
			}
			continue
		}
		if v := stParam.FindStringSubmatch(st); v != nil && v[2] == "func_retval0" {
			kind = v[1]
			body = append(body, "mov."+v[1]+" "+result+", "+own(v[3])+";")
			continue
		}
		if guard, ok := strings.CutSuffix(st, "ret;"); ok {
			if i < len(f.body)-1 {
				jumps = true
				body = append(body, own(guard)+"bra "+end+";")
			}
			continue
		}
		body = append(body, own(st))
	}
	if jumps {
		body = append(body, end+":")
	}
	return kind, decls, body
}
