package flow

import (
	"slices"

	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
)

// deniedDefs are ops that no program may run. They access the network, other processes, databases
// or a Python interpreter, end the process, or belong to input pipelines that choose the files they
// read and write.
var deniedDefs = slices.Concat(
	foreign("calls a Python function, but a program has no Python; name a Go function for the op in graphc.yaml",
		"PyFunc", "PyFuncStateless", "EagerPyFunc"),
	denied("ends the process; use Assert to end a run", "Abort"),
	denied("opens connections to other processes; remote calls are not compiled",
		"RpcCall", "RpcCheckStatus", "RpcClient", "RpcGetValue", "RpcServer", "RpcServerRegister", "RpcServerStart", "DeleteRpcFutureResource"),
	denied("exchanges tensors with other processes; a program uses only the devices of its own process",
		"CollectiveAllToAllV2", "CollectiveAllToAllV3", "CollectiveAssignGroupV2",
		"CollectiveBcastSend", "CollectiveBcastSendV2", "CollectiveGather", "CollectiveGatherV2", "CollectiveInitializeCommunicator",
		"CollectivePermute", "CollectiveReduce", "CollectiveReduceScatterV2", "CollectiveReduceV2", "CollectiveReduceV3",
		"NcclAllReduce", "NcclBroadcast", "NcclReduce", "_NcclBroadcastRecv", "_NcclBroadcastSend", "_NcclReduceRecv", "_NcclReduceSend",
		"WorkerHeartbeat"),
	endless("waits for a tensor from another process, which never arrives; feed the tensor instead",
		"CollectiveBcastRecv", "CollectiveBcastRecvV2"),
	denied("gets data from a network service; feed the tensors instead",
		"DataServiceDataset", "DataServiceDatasetV2", "DataServiceDatasetV3", "DataServiceDatasetV4", "RegisterDataset", "RegisterDatasetV2"),
	denied("opens a database; feed the tensors instead",
		"LMDBReader", "LMDBDataset", "ExperimentalLMDBDataset", "SqlDataset", "ExperimentalSqlDataset", "CreateSummaryDbWriter"),
	denied("reads files as an input pipeline; feed the tensors, or use ReadFile or a reader",
		"TextLineDataset", "TFRecordDataset", "TFRecordDatasetV2", "FixedLengthRecordDataset", "FixedLengthRecordDatasetV2",
		"CSVDataset", "CSVDatasetV2", "ExperimentalCSVDataset", "MatchingFilesDataset", "ExperimentalMatchingFilesDataset",
		"LoadDataset", "CacheDataset", "CacheDatasetV2", "ListSnapshotChunksDataset", "SnapshotChunkDataset", "SnapshotDatasetReader",
		"SnapshotNestedDatasetReader", "SnapshotDataset", "SnapshotDatasetV2", "RecordInput"),
	denied("writes files as an input pipeline; fetch the tensors, or use WriteFile",
		"SaveDataset", "SaveDatasetV2", "DatasetToTFRecord", "ExperimentalDatasetToTFRecord", "DistributedSave"),
	denied("chooses the files it writes; fetch the tensors instead",
		"CalibrationStatisticsSaver", "CustomAggregator", "DumpTensor", "StoreMinibatchStatisticsInFdo"),
	denied("chooses the files it reads; use RestoreV2", "DTensorRestoreV2"),
	reading(denied("reads a checkpoint in TensorFlow's first format; RestoreV2 reads the second", "Restore", "RestoreSlice")),
	denied("writes a checkpoint in TensorFlow's first format; use SaveV2", "Save", "SaveSlices"),
	denied("writes event files; fetch the summaries instead",
		"CreateSummaryFileWriter", "SummaryWriter", "FlushSummaryWriter", "CloseSummaryWriter", "ImportEvent", "WriteAudioSummary", "WriteGraphSummary",
		"WriteHistogramSummary", "WriteImageSummary", "WriteRawProtoSummary", "WriteScalarSummary", "WriteSummary",
		"StatsAggregatorSetSummaryWriter"),
	denied("changes how the process accesses files", "FileSystemSetConfiguration"),
)

// Refused is the prefix of the Limits of ops that are always rejected.
const Refused = "refused: "

// denied describes ops that are always rejected.
func denied(what string, names ...string) []*lower.Def { return always(lower.Denied, what, names) }

// foreign marks ops that call functions outside the graph. Go functions can replace them: docs/go-ops.md.
func foreign(what string, names ...string) []*lower.Def {
	defs := always(lower.Foreign, what, names)
	for _, d := range defs {
		d.Access = lower.Touches(lower.Foreign, "the op "+what+", see docs/go-ops.md")
	}
	return defs
}

// reading marks ops that only read.
func reading(defs []*lower.Def) []*lower.Def {
	for _, d := range defs {
		d.Level = lower.Reads
	}
	return defs
}

// endless describes ops that would wait forever.
func endless(what string, names ...string) []*lower.Def { return always(lower.Endless, what, names) }

func always(a lower.Access, what string, names []string) []*lower.Def {
	defs := make([]*lower.Def, len(names))
	for i, name := range names {
		defs[i] = &lower.Def{Name: name, Flags: kit.Changes, Access: lower.Touches(a, "the op "+what), Limits: Refused + "it " + what}
	}
	return defs
}
