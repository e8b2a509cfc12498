package flow

import (
	"slices"

	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
)

// deniedDefs are ops that no program may run: they reach the network, other
// processes, databases or a Python interpreter, end the process, or belong to input pipelines that
// read and write files of their own choice.
var deniedDefs = slices.Concat(
	denied("calls a Python function, and a program has no Python; give a Go function for the op in graphc.yaml",
		"PyFunc", "PyFuncStateless", "EagerPyFunc"),
	denied("ends the process; use Assert to end a run", "Abort"),
	denied("opens connections to other processes; remote calls are not compiled",
		"RpcCall", "RpcCheckStatus", "RpcClient", "RpcGetValue", "RpcServer", "RpcServerRegister", "RpcServerStart", "DeleteRpcFutureResource"),
	denied("exchanges tensors with other processes; a program computes alone, on devices of one process",
		"CollectiveAllToAllV2", "CollectiveAllToAllV3", "CollectiveAssignGroupV2",
		"CollectiveBcastSend", "CollectiveBcastSendV2", "CollectiveGather", "CollectiveGatherV2", "CollectiveInitializeCommunicator",
		"CollectivePermute", "CollectiveReduce", "CollectiveReduceScatterV2", "CollectiveReduceV2", "CollectiveReduceV3",
		"NcclAllReduce", "NcclBroadcast", "NcclReduce", "_NcclBroadcastRecv", "_NcclBroadcastSend", "_NcclReduceRecv", "_NcclReduceSend",
		"WorkerHeartbeat"),
	endless("waits for a tensor that another process sends, which no program has beside it; feed the tensor instead",
		"CollectiveBcastRecv", "CollectiveBcastRecvV2"),
	denied("takes data from a service in the network; feed the tensors instead",
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
	denied("writes files of its own choice; fetch the tensors instead",
		"CalibrationStatisticsSaver", "CustomAggregator", "DumpTensor", "StoreMinibatchStatisticsInFdo"),
	denied("reads files of its own choice; use RestoreV2", "DTensorRestoreV2"),
	reading(denied("reads a checkpoint of the first format; RestoreV2 reads those of the second", "Restore", "RestoreSlice")),
	denied("writes a checkpoint of the first format; use SaveV2", "Save", "SaveSlices"),
	denied("writes event files; fetch the summaries instead",
		"CreateSummaryFileWriter", "SummaryWriter", "FlushSummaryWriter", "CloseSummaryWriter", "ImportEvent", "WriteAudioSummary", "WriteGraphSummary",
		"WriteHistogramSummary", "WriteImageSummary", "WriteRawProtoSummary", "WriteScalarSummary", "WriteSummary",
		"StatsAggregatorSetSummaryWriter"),
	denied("changes how the process reaches files", "FileSystemSetConfiguration"),
)

// Refused begins the Limits of ops that are always refused.
const Refused = "refused: "

// denied describes ops that are always refused.
func denied(what string, names ...string) []*lower.Def { return always(lower.Denied, what, names) }

// reading states that ops read and change nothing.
func reading(defs []*lower.Def) []*lower.Def {
	for _, d := range defs {
		d.Level = lower.Reads
	}
	return defs
}

// endless describes ops that wait for what never comes.
func endless(what string, names ...string) []*lower.Def { return always(lower.Endless, what, names) }

func always(a lower.Access, what string, names []string) []*lower.Def {
	defs := make([]*lower.Def, len(names))
	for i, name := range names {
		defs[i] = &lower.Def{Name: name, Flags: kit.Changes, Access: lower.Touches(a, "the op "+what), Limits: Refused + "it " + what}
	}
	return defs
}
