package build

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// commentColumn is the column at which comments after a value begin in the new graphc.yaml.
const commentColumn = 31

// plainText matches texts that YAML reads without quotes.
var plainText = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]*$`)

// yamlText returns s as a YAML value, quoted if necessary.
func yamlText(s string) string {
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		return strconv.Quote(s)
	}
	if plainText.MatchString(s) {
		return s
	}
	return strconv.Quote(s)
}

// line is a line of the new graphc.yaml, and the comment at the end of the line.
type line struct{ text, comment string }

// list writes lines to b, with their comments in one column.
func list(b *strings.Builder, lines []line) {
	column := commentColumn
	for _, l := range lines {
		column = max(column, len([]rune(l.text))+1)
	}
	for _, l := range lines {
		if l.comment == "" {
			b.WriteString(l.text + "\n")
			continue
		}
		b.WriteString(l.text + strings.Repeat(" ", column-len([]rune(l.text))) + "# " + l.comment + "\n")
	}
}

// text returns the lines of graphc.yaml that describe the model's signatures and the shapes of
// feeds.
func (d *described) text() string {
	var b strings.Builder
	if d.bare {
		d.callText(&b)
	} else {
		d.signatureText(&b)
	}
	if len(d.shapes) > 0 {
		b.WriteString("    # Shapes of feeds. " + batch + " is a size that each call tells, the same for all feeds that name it;\n" +
			"    # ? is one of a feed's own. A number makes better code.\n    shapes:\n")
		for _, x := range d.shapes {
			fmt.Fprintf(&b, "      %s: %s\n", yamlText(x[0]), strconv.Quote(x[1]))
		}
	}
	return b.String()
}

// callText writes the key "calls", with one signature for a graph that has none.
func (d *described) callText(b *strings.Builder) {
	s := d.signatures[0]
	b.WriteString("    # What is computed: key=tensor. More calls share variables, tables and queues.\n    calls:\n")
	list(b, []line{{"      - name: predict", "m." + s.method}})
	for _, x := range []struct {
		key, of string
		ports   []describedPort
	}{{"feeds", "in", s.feeds}, {"fetches", "out", s.fetches}} {
		if len(x.ports) == 0 {
			continue
		}
		fmt.Fprintf(b, "        %s:\n", x.key)
		var lines []line
		for i, p := range x.ports {
			lines = append(lines, line{"          - " + strconv.Quote(keyed(x.ports)[i]), p.comment(x.of)})
		}
		list(b, lines)
	}
}

// signatureText writes the keys "signatures" and "names".
func (d *described) signatureText(b *strings.Builder) {
	b.WriteString("    # The model's signatures, each a method.\n    signatures:\n")
	var lines []line
	for _, s := range d.signatures {
		lines = append(lines, line{text: "      - " + yamlText(s.name)})
	}
	for _, n := range d.notes {
		lines = append(lines, line{"      # - " + yamlText(n.Signature), n.Text})
	}
	list(b, lines)
	b.WriteString("    # Names: on the left the model's, on the right yours.\n    names:\n")
	for _, s := range d.signatures {
		fmt.Fprintf(b, "      %s:\n", yamlText(s.name))
		method := ""
		if s.method != "" {
			method = "m." + s.method
		}
		list(b, []line{{"        name: " + yamlText(s.name), method}})
		portsText(b, "feeds", "in", s.feeds)
		portsText(b, "fetches", "out", s.fetches)
	}
}

func portsText(b *strings.Builder, key, of string, ports []describedPort) {
	if len(ports) == 0 {
		return
	}
	fmt.Fprintf(b, "        %s:\n", key)
	var lines []line
	for _, p := range ports {
		lines = append(lines, line{fmt.Sprintf("          %s: %s", yamlText(p.key), yamlText(p.key)), p.comment(of)})
	}
	list(b, lines)
}

// comment returns the text of the comment for a feed or fetch: its Go field, if known, and its type
// and shape. The argument is the name of the Go variable that has the field, such as "in".
func (p describedPort) comment(of string) string {
	if p.field == "" {
		return p.text
	}
	return of + "." + p.field + ": " + p.text
}
