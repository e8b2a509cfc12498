"""Ops that are not drawn, each with its reason."""

FILES = "touches files: compiled only where it is allowed"
CLOCK = "the answer is the time, the machine or the program"
EXCLUDED = {
    "Const": "a leaf",
    "Placeholder": "a leaf",
    "PlaceholderV2": "deprecated: TensorFlow has no kernel that can be fed",
    "TopK": "removed from every version of the format that its kernel can read",
    "MatchingFiles": FILES, "ReadFile": FILES, "WriteFile": FILES, "Save": FILES, "SaveV2": FILES, "SaveSlices": FILES, "Restore": FILES,
    "RestoreV2": FILES, "RestoreSlice": FILES, "MergeV2Checkpoints": FILES, "InitializeTableFromTextFile": FILES, "InitializeTableFromTextFileV2": FILES,
    "Timestamp": CLOCK, "EncodeJpeg": "bytes are the encoder's own", "EncodeJpegVariableQuality": "bytes are the encoder's own",
    "LSTMBlockCell": "ends TensorFlow's process on other ranks", "LSTMBlockCellGrad": "ends TensorFlow's process on other ranks",
    "CustomAggregator": FILES, "SerializeTensor": "proto fields may stand in any order",
    "Abort": "ends the process", "PrintV2": "writes", "Print": "writes",
    "NonDeterministicInts": "random by its meaning",
}
