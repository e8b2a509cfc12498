package lists

import (
	"fmt"
	"io/fs"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/tool/base"
)

// Licences prints the licence of graphc, its notices, and the licences of the modules that are
// linked into the command graphc.
func Licences(a *base.App) error {
	for i, name := range []string{"LICENSE", "NOTICE", "THIRD_PARTY_NOTICES"} {
		text, err := fs.ReadFile(graphc.Sources(), name)
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintf(a.Out, "\n%s\n\n", "================================================================================")
		}
		if _, err := a.Out.Write(text); err != nil {
			return err
		}
	}
	return nil
}
