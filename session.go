package graphc

import (
	"fmt"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/pipeline"
)

// ReadSessionConfig sets the options for placement, passes, threads and time from a text or binary
// file that holds a ConfigProto of TensorFlow. Fields that are not set in the file get the values
// that a session of TensorFlow uses. docs/session-config.md lists the fields. The function log,
// which may be nil, is called with a line for each field that is set but has no meaning for a
// compiled program; the line gives the reason. Later it is called with the placements if the file
// requests them. The error is an *Error: InvalidArgument or NotFound for settings that a session
// rejects.
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

// ofSession copies from p the options that a session's configuration can set.
func (o *Options) ofSession(p *pipeline.Options) {
	o.SoftPlacement, o.PlaceWhole, o.Devices = p.SoftPlacement, p.NoPlacePruned, p.Devices
	o.Without, o.StripDebug, o.MaxFolded = p.Without, p.StripDebug, p.MaxFolded
	o.Defaults.ofEngine(p.Defaults)
	o.LogPlacement = p.LogPlacement
}
