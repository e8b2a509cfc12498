package graphc

import (
	"fmt"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/pipeline"
)

// ReadSessionConfig sets the options for placement, passes, threads and timeouts from a text or
// binary file that holds a ConfigProto of TensorFlow. If a field is not set in the file, the option
// gets the default value of a TensorFlow session. The page docs/session-config.md lists the fields.
//
// The function log may be nil. ReadSessionConfig calls it for each field that is set but has no
// meaning for a compiled program, with a line of text that gives the reason. If the file requests a
// log of the placements, Compile later calls log with a line for each placement.
//
// The error is an *Error: InvalidArgument or NotFound for settings that a session rejects.
func (o *Options) ReadSessionConfig(path string, log func(line string)) error {
	c, err := frontend.ReadSessionConfig(path)
	if err != nil {
		return diagnose(err, path)
	}
	if log == nil {
		log = func(string) {}
	}
	p, err := o.engine()
	if err != nil {
		return diagnose(err, "")
	}
	if err := p.Session(c, log); err != nil {
		return diagnose(fmt.Errorf("%s: %w", path, err), path)
	}
	o.ofSession(&p)
	return nil
}

// ofSession copies from p to o the options that a session configuration can set.
func (o *Options) ofSession(p *pipeline.Options) {
	o.SoftPlacement, o.PlaceWhole, o.Devices = p.SoftPlacement, p.NoPlacePruned, p.Devices
	o.Without, o.StripDebug, o.MaxFolded = p.Without, p.StripDebug, p.MaxFolded
	o.Defaults.ofEngine(p.Defaults)
	o.LogPlacement = p.LogPlacement
}
