package build

import (
	"regexp"
	"strings"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/ir"
)

// keyWords lists patterns of flags in error messages, and functions that return the key of
// graphc.yaml for a flag. The commands generate and check replace the flags by these keys, because
// they read graphc.yaml and do not have the flags.
var keyWords = []struct {
	flag *regexp.Regexp
	key  func(match []string) string
}{
	{regexp.MustCompile(`--(max-[a-z-]+)`), limitKey},
	{regexp.MustCompile(`--shape (\S+?)=(\S+)`), func(m []string) string { return `shapes: {` + m[1] + `: "` + m[2] + `"}` }},
	{regexp.MustCompile(`--signature \S+( --signature \S+)*`), func(m []string) string {
		names := strings.ReplaceAll(strings.TrimPrefix(m[0], "--signature "), " --signature ", ", ")
		return "signatures: [" + names + "]"
	}},
	{regexp.MustCompile(`--devices ([^\s…]+)`), func(m []string) string { return "devices: [" + strings.ReplaceAll(m[1], ",", ", ") + "]" }},
	{regexp.MustCompile(`--feed (\S+)`), func(m []string) string { return "feeds: [" + m[1] + "]" }},
	{regexp.MustCompile(`--fetch and --feed`), func([]string) string { return "fetches and feeds" }},
	{regexp.MustCompile(`--call\b`), func([]string) string { return "calls" }},
	{regexp.MustCompile(`--allow-files \((allow_files: true) in graphc.yaml\)`), func(m []string) string { return m[1] }},
	{regexp.MustCompile(`--partial\b`), func([]string) string { return "partial: true" }},
}

// limitKey returns the key of graphc.yaml for the flag of a limit; m[1] is the name of the flag.
func limitKey(m []string) string {
	for _, k := range ir.LimitKinds {
		if k.Flag == m[1] {
			return "limits." + k.Key
		}
	}
	return m[0]
}

// inKeys returns the text of a message with keys of graphc.yaml instead of flags.
func inKeys(text string) string {
	for _, w := range keyWords {
		text = w.flag.ReplaceAllStringFunc(text, func(s string) string { return w.key(w.flag.FindStringSubmatch(s)) })
	}
	return text
}

// withKeys returns err with keys of graphc.yaml instead of flags in its message.
func withKeys(err error) error { return base.WithText(inKeys(err.Error()), err) }
