package graphc

import (
	"fmt"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/pipeline"
)

// ReadSessionConfig sets the options for placement, passes, threads and time from a ConfigProto of
// TensorFlow, a text or binary file. Fields that are not set in it get the values of a session.
// docs/session-config.md lists the fields. log, which may be nil, gets a line with the reason for
// each field that is set but has no meaning for a compiled program. Later it gets the placements if
// the file asks for them. The error is an *Error: settings that a session rejects are
// InvalidArgument or NotFound.
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

// ofSession copies the options that a session's configuration can set.
func (o *Options) ofSession(p *pipeline.Options) {
	o.SoftPlacement, o.PlaceWhole, o.Devices = p.SoftPlacement, p.NoPlacePruned, p.Devices
	o.Without, o.StripDebug, o.MaxFolded = p.Without, p.StripDebug, p.MaxFolded
	o.Defaults.ofEngine(p.Defaults)
	o.LogPlacement = p.LogPlacement
}
