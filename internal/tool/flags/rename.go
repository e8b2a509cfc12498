package flags

import (
	"strings"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/goname"
	"github.com/graphc/graphc/internal/tool/base"
)

// renameForm is the form of the value of the flag --rename. All parts except SIGNATURE may be
// missing.
const renameForm = "SIGNATURE=NAME as METHOD: FEED=KEY as FIELD, … -> FETCH=KEY as FIELD, …"

// parseRenames parses the values of the flag --rename. It returns the new names, keyed by
// signature.
func parseRenames(flags []string) (map[string]graphc.Names, error) {
	if len(flags) == 0 {
		return nil, nil
	}
	all := map[string]graphc.Names{}
	for _, text := range flags {
		head, rest, _ := strings.Cut(text, ":")
		sig, name, method, ok := parseName(head)
		var n graphc.Names
		n.Name, n.Method = name, method
		feeds, fetches, _ := strings.Cut(rest, "->")
		var err error
		if n.Feeds, err = parsePorts(feeds); err == nil {
			n.Fetches, err = parsePorts(fetches)
		}
		switch {
		case err != nil:
			return nil, base.Usagef("--rename %s: %w", text, err)
		case !ok || name == "" && method == "" && len(n.Feeds)+len(n.Fetches) == 0:
			return nil, base.Usagef("--rename %s: nothing is renamed: want %s", text, renameForm)
		}
		if _, twice := all[sig]; twice {
			return nil, base.Usagef("--rename %s: signature %q is renamed already", text, sig)
		}
		if method != "" {
			if err := goname.Check(method); err != nil {
				return nil, base.Usagef("--rename %s: %w", text, err)
			}
		}
		all[sig] = n
	}
	return all, nil
}

// parseName parses a text of the form "OLD=NEW as GO". The parts "=NEW" and " as GO" may be
// missing. The result ok is false if the text is malformed.
func parseName(text string) (old, new, goName string, ok bool) {
	text, goName, as := strings.Cut(text, " as ")
	old, new, renamed := strings.Cut(text, "=")
	old, new, goName = strings.TrimSpace(old), strings.TrimSpace(new), strings.TrimSpace(goName)
	return old, new, goName, (!renamed || new != "") && (!as || goName != "")
}

// parsePorts parses a list of the new names of feeds or fetches. It returns these names, keyed by
// the old names.
func parsePorts(text string) (map[string]graphc.PortNames, error) {
	var ports map[string]graphc.PortNames
	for _, word := range strings.Split(text, ",") {
		if strings.TrimSpace(word) == "" {
			continue
		}
		old, key, field, ok := parseName(word)
		if !ok || old == "" || key == "" && field == "" {
			return nil, base.Usagef("%q: want OLD=KEY as FIELD", strings.TrimSpace(word))
		}
		if field != "" {
			if err := goname.Check(field); err != nil {
				return nil, err
			}
		}
		if ports == nil {
			ports = map[string]graphc.PortNames{}
		}
		if _, twice := ports[old]; twice {
			return nil, base.Usagef("%q is renamed twice", old)
		}
		ports[old] = graphc.PortNames{Key: key, Field: field}
	}
	return ports, nil
}
