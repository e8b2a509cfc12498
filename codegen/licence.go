package codegen

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// noticeSection is the text before a section of the file NOTICE. It is followed by a line of the
// form "FOLDER…: TITLE".
const noticeSection = "\n== "

// top returns the first folder of a path.
func top(name string) string {
	first, _, _ := strings.Cut(name, "/")
	return first
}

// addLicence adds LICENSE and NOTICE to each of the folders that hold copies. NOTICE has
// the sections about material that is in the folder's copies.
func (c *Copies) addLicence(copies map[string][]byte, folders []string) error {
	licence, err := fs.ReadFile(c.Sources, "LICENSE")
	if err != nil {
		return fmt.Errorf("the sources have no licence: %w", err)
	}
	notice, err := fs.ReadFile(c.Sources, "NOTICE")
	if err != nil {
		return fmt.Errorf("the sources have no notices: %w", err)
	}
	head := fmt.Sprintf("# %s\n", generated(c.Version))
	added := map[string][]byte{}
	for _, folder := range folders {
		added[path.Join(folder, "LICENSE")] = append([]byte(head), licence...)
		text := noticeFor(string(notice), func(section string) bool {
			for name := range copies {
				if top(name) == folder && strings.HasPrefix(name, section+"/") {
					return true
				}
			}
			return false
		})
		added[path.Join(folder, "NOTICE")] = []byte(head + text)
	}
	for name, b := range added {
		copies[name] = b
	}
	return nil
}

// noticeFor returns the beginning of a NOTICE, and the sections that are about folders with copies.
func noticeFor(notice string, copied func(folder string) bool) string {
	sections := strings.Split(notice, noticeSection)
	var b strings.Builder
	b.WriteString(sections[0])
	for _, s := range sections[1:] {
		folders, _, _ := strings.Cut(s, ":")
		for _, f := range strings.Fields(folders) {
			if copied(f) {
				b.WriteString(noticeSection + s)
				break
			}
		}
	}
	return b.String()
}
