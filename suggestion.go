package graphc

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/graphc/graphc/ir"
)

// These expressions match suggestions at the end of error messages. A suggestion says how the error can
// be avoided, and uses the names of flags and files of the command line. A Diagnostic stores the
// suggestion apart from the message, with the names of this package instead.
var (
	nearName  = regexp.MustCompile(`; (did you mean .*\?)$`)
	denyFiles = regexp.MustCompile(`; this needs --allow-files .*$`)
	ownKernel = regexp.MustCompile(`; (graphc\.yaml can name a Go function for it|(give|name) a Go function for the op in graphc\.yaml)(?:, see docs/go-ops\.md)?$`)
	overLimit = regexp.MustCompile(`; --(max-[a-z-]+) raises the limit$`)
	giveShape = regexp.MustCompile(`: (give .*), for example --shape (\S+?)=(\S+)$`)
)

// goFunction is the suggestion that applies to every unsupported op.
const goFunction = "give a Go function for it in LoadOptions.GoOps"

// divide splits a message into its text and the suggestion at its end, and translates the names in the
// suggestion. Without a suggestion, it returns the message and "".
func divide(msg string) (text, suggestion string) {
	if m := ownKernel.FindStringIndex(msg); m != nil {
		text, near := divide(msg[:m[0]])
		if near != "" {
			return text, near + " or " + goFunction
		}
		return text, goFunction
	}
	if m := denyFiles.FindStringIndex(msg); m != nil {
		return msg[:m[0]], "set Options.AllowFiles, and InstanceOptions.Files or rt.WithFiles to the directory whose files the model may see"
	}
	if m := nearName.FindStringSubmatchIndex(msg); m != nil {
		return msg[:m[0]], msg[m[2]:m[3]]
	}
	if m := overLimit.FindStringSubmatchIndex(msg); m != nil {
		if field := limitField(msg[m[2]:m[3]]); field != "" {
			return msg[:m[0]], "raise Limits." + field
		}
	}
	if m := giveShape.FindStringSubmatch(msg); m != nil {
		return strings.TrimSuffix(msg, m[0]), m[1] + fmt.Sprintf(", for example Options.Shapes[%q] = %q", m[2], m[3])
	}
	return msg, ""
}

// limitField returns the name of the field of Limits that the flag sets, or "" for other flags.
func limitField(flag string) string {
	for i, k := range ir.LimitKinds {
		if k.Flag == flag {
			return reflect.TypeFor[Limits]().Field(i).Name
		}
	}
	return ""
}
