// Package graphc is the compiler as a library: it reads TensorFlow graphs and makes Go packages of
// them, or runs them in this process. The command cmd/graphc does the same for people.
//
// There are three steps. [Load], [LoadFS] and [LoadBytes] read a [Model]. [Model.Compile] makes a [Program] of
// it, for the signatures that [Options] name. [Program.Files] returns the Go package as files, and [Program.NewInstance]
// an [Instance] that runs in this process:
//
//	m, err := graphc.Load(ctx, "saved_model_dir", nil)
//	p, err := m.Compile(ctx, nil)
//	files, err := p.Files(ctx, &graphc.EmitOptions{Package: "model"})
//	i, err := p.NewInstance(ctx, nil)
//	out, err := i.Run(ctx, "serving_default", map[string]*tensor.Tensor{"x": x})
//
// [Model.Inspect] tells what a model holds.
//
// # Errors
//
// The errors of loading and compiling are an [*Error], which lists a [Diagnostic] for each thing that is wrong: where
// it lies, TensorFlow's code, and what would be accepted. Nothing panics, whatever a model holds. Those of a run are
// a [*tensor.Error] or wrap one.
//
// # Untrusted models
//
// A model may come from anyone. [Limits] bound what it takes of memory and time, and ops that reach files are refused
// unless [Options.AllowFiles] and [InstanceOptions.Files] let them.
//
// # Concurrency
//
// The package keeps no settings, prints nothing and never ends the process. A Model and a Program may be used from
// several goroutines at once, and so may an Instance, whose runs share variables, tables and queues. Options are read
// during the call only. Functions in them are called on any goroutine, and when a context ends, possibly shortly after
// the call too.
//
// Two things concern the whole process. Limits.Time counts the processor time of all goroutines. And while constants of a
// model are computed, kernels that run elsewhere in the process use their portable variants, which are slower and may
// differ in the last bits.
package graphc
