// Package graphc is the compiler as a library. It reads TensorFlow graphs and turns them into Go
// packages, or runs them in this process. The command cmd/graphc does the same on the command line.
//
// There are three steps. [Load], [LoadFS] and [LoadBytes] read a [Model]. [Model.Compile] turns it
// into a [Program] for the signatures in [Options]. [Program.Files] returns the Go package as
// files, and [Program.NewInstance] returns an [Instance] that runs in this process:
//
//	m, err := graphc.Load(ctx, "saved_model_dir", nil)
//	p, err := m.Compile(ctx, nil)
//	files, err := p.Files(ctx, &graphc.EmitOptions{Package: "model"})
//	i, err := p.NewInstance(ctx, nil)
//	out, err := i.Run(ctx, "serving_default", map[string]*tensor.Tensor{"x": x})
//
// [Model.Inspect] describes the content of a model.
//
// # Errors
//
// The errors of loading and compiling are an [*Error], which lists a [Diagnostic] for each thing
// that is wrong: its location, TensorFlow's code, and what would be accepted. Nothing panics for
// any model. The errors of a run are a [*tensor.Error] or wrap one.
//
// # Untrusted models
//
// A model may be untrusted. [Limits] bound its use of memory and time. Ops that access files are
// rejected unless [Options.AllowFiles] and [InstanceOptions.Files] allow them.
//
// # Concurrency
//
// The package keeps no settings, prints nothing and never ends the process. Model, Program and
// Instance are safe for concurrent use; the runs of an Instance share variables, tables and queues.
// Options are read during the call that they are passed to, and not later. Functions in the options
// may be called on any goroutine. If the context of the call ends, these functions may still be
// called shortly after the call has returned.
//
// Two things affect the whole process. Limits.Time counts the processor time of all goroutines.
// While constants of a model are computed, kernels that run elsewhere in the process use their
// portable variants, which are slower and may differ in the last bits.
package graphc
