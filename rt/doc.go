// Package rt is the run time of the programs graphc emits: it checks what is
// fed, lends each run a state with its memory, and turns failures into errors
// with TensorFlow's codes. It imports the standard library only.
//
// Packages beside it are for programs that need more, which import them: save
// (checkpoints), parts (partitions, runs in steps, devices) and devwork (what
// works on devices that are no CPUs).
//
// Its names are of two kinds. Every exported name is in one of the two lists.
//
// # For programs
//
// These are for those who call a model. They change only as the rules for
// compatible changes of Go modules allow.
//
//   - a model without its types: [Program], [Signature], [Port], [Bound]
//   - what a model can do besides: [Closer], [Saver], [Partialer], [PartialRun]
//   - options of a model: [Option], [WithThreads], [WithIntraOp], [WithInterOp],
//     [WithConcurrency], [WithPool], [WithNamedPool], [NewPool], [ThreadPool],
//     [WithFiles], [WithHook], [WithMaxBytes], [DefaultMaxBytes], [WithTimeout],
//     [WithWeights], [WithoutInit]
//   - options of a run: [WithRun], [RunOption], [Threads], [OnPool], [Timeout],
//     [Observe], [Watch], [WatchFunc]
//   - what observes runs: [Hook], [Info], [Step], [Scope], [Observer]
//
// # For emitted code
//
// These are for the code that graphc emits and for graphc itself. They change
// with it, which [EnforceVersion] watches over: emit the package again when it
// does not compile with a newer run time.
//
//   - versions: [EnforceVersion], [MaxVersion], [MinVersion]
//   - a model: [Open], [Base], [TellMaxBytes], [Extend], [RunBound],
//     [UnknownSignature], [NotPartial]
//   - weights: [Weights], [Section], [WeightsMagic], [HeaderSize]
//   - signatures: [Code], [Pool], [State], [FeedTo], [FeedField], [FeedAny],
//     [AddFetch], [FetchAny], [Fetch], [Aborter], [Block], [Worker], [PanicError]
//   - tasks and loops: [Graph], [Task], [RunTasks], [Split], [WorthSharing]
//   - hooks: [Mark], [Begin], [TellWatch], [Watched]
//   - sizes and views: [Add], [AddSize], [Mul], [MulSize], [Div], [Mod], [Bcast],
//     [At], [Bytes], [Window]
package rt
