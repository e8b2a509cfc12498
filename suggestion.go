package graphc

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/graphc/graphc/ir"
)

// What would be accepted stands at the end of a message, in one of few forms, and in words of the command line. In a
// Diagnostic it is apart, and in words of this package.
var (
	nearName  = regexp.MustCompile(`; (did you mean .*\?)$`)
	overLimit = regexp.MustCompile(`; --(max-[a-z-]+) raises the limit$`)
	giveShape = regexp.MustCompile(`: (give .*), for example -shape (\S+?)=(\S+)$`)
)

// divide takes the suggestion off a message.
func divide(msg string) (text, suggestion string) {
	if m := nearName.FindStringSubmatchIndex(msg); m != nil {
		return msg[:m[0]], msg[m[2]:m[3]]
	}
	if m := overLimit.FindStringSubmatchIndex(msg); m != nil {
		if field := limitField(msg[m[2]:m[3]]); field != "" {
			return msg[:m[0]], "raise Limits." + field
		}
	}
	if m := giveShape.FindStringSubmatch(msg); m != nil {
		return strings.TrimSuffix(msg, m[0]), m[1] + `, for example Shapes: {"` + m[2] + `": "` + m[3] + `"}`
	}
	return msg, ""
}

// limitField returns the field of Limits that a flag sets, "" for no such flag.
func limitField(flag string) string {
	for i, k := range ir.LimitKinds {
		if k.Flag == flag {
			return reflect.TypeFor[Limits]().Field(i).Name
		}
	}
	return ""
}
