package codegen

import "errors"

func (e *emitter) copySources() error { return errors.New("standalone packages are not emitted yet") }
