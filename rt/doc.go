// Package rt is the run time of the programs that graphc emits. It checks feeds, lends each run a
// state with its memory, and turns failures into errors with TensorFlow's codes. It imports the
// standard library only.
//
// Some programs need more and import further packages: save (checkpoints), parts (partitions,
// partial runs, devices) and devwork (work on devices other than CPUs).
//
// Each exported name is in one of the two lists below.
//
// # For programs
//
// These names are for callers of a model. They follow the compatibility rules of Go modules.
//
//   - a model without its static types: [Program], [Signature], [Port], [Bound]
//   - further abilities of a model: [Closer], [Saver], [Partialer], [PartialRun]
//   - options of a model: [Option], [WithThreads], [WithIntraOp], [WithInterOp],
//     [WithConcurrency], [WithPool], [WithNamedPool], [NewPool], [ThreadPool],
//     [WithFiles], [WithHook], [WithMaxBytes], [WithMicroBatch], [DefaultMaxBytes], [WithTimeout],
//     [WithWeights], [WithoutInit]
//   - options of a run: [WithRun], [RunOption], [Threads], [OnPool], [Timeout],
//     [Observe], [Watch], [WatchFunc]
//   - observers of runs: [Hook], [Info], [Step], [Scope], [Observer]
//
// # For emitted code
//
// These names are for emitted code and for graphc itself. They may change from version to version,
// together with the code that graphc emits. [EnforceVersion] checks that an emitted package and the
// run time fit together. If a package does not compile with a newer run time, emit it again.
//
//   - versions: [EnforceVersion], [MaxVersion], [MinVersion]
//   - a model: [Open], [Base], [TellMaxBytes], [Extend], [RunBound],
//     [UnknownSignature], [NotPartial]
//   - weights: [Weights], [Section], [WeightsMagic], [HeaderSize]
//   - signatures: [Code], [Pool], [State], [FeedTo], [FeedField], [FeedAny],
//     [AddFetch], [FetchAny], [Fetch], [MicroBatch],
//     [FeedMicroBatch], [FetchMicroBatch], [Aborter], [Block], [Worker], [PanicError]
//   - tasks and loops: [Graph], [Task], [RunTasks], [Split], [WorthSharing],
//     [ChunkSize], [Wakes]
//   - hooks: [Mark], [Begin], [TellWatch], [Watched]
//   - sizes and views: [Add], [AddSize], [Mul], [MulSize], [Div], [Mod], [Bcast],
//     [At], [Bytes], [Window]
package rt
