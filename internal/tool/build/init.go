package build

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/graphc/graphc/internal/config"
	"github.com/graphc/graphc/internal/emitdir"
	"github.com/graphc/graphc/internal/tool/base"
)

// initText is what `graphc init` writes; its verb is the model's path.
const initText = `# What "graphc generate" builds. Put this line into a Go file of this folder
# and "go generate" runs it:
#
#	//go:generate go tool graphc
#
# Paths are relative to this file. "graphc init --schema" prints a JSON schema.
version: "1"

# omit_version: true           # leave graphc's version out of generated files

models:
  - path: %s
    out: model                 # folder of the generated package
    package: model             # its name
    # main: true               # a program instead of a package
    # runtime: standalone      # copy the run time; import uses the graphc module
    # signatures: [serving_default]
    # feeds: ["picture=x:0"]   # instead of a signature: key=tensor
    # fetches: ["scores=y:0"]
    # shapes:
    #   picture: "n,224,224,3" # n: a size that is known at run time
    # devices: [cpu:0, cpu:1]  # where nodes may run
    # soft_placement: true     # run nodes elsewhere whose device does not exist
    # place_pruned: false      # place what no fetch needs, too
    # partial: true            # signatures can be run in steps
    # connect: ["a:0=y:0"]     # readers of y:0 read a:0
    # session_config: c.pbtxt  # a TensorFlow ConfigProto
`

// Init writes a graphc.yaml with comments for a model.
func Init(a *base.App, model string, force bool) error {
	if _, err := os.Lstat(config.FileName); err == nil && !force {
		return fmt.Errorf("%s exists already; --force overwrites it", config.FileName)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := emitdir.WriteFile(config.FileName, fmt.Appendf(nil, initText, strconv.Quote(model)), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "wrote %s\n", config.FileName)
	return nil
}
