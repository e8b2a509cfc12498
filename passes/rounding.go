package passes

import (
	"github.com/graphc/graphc/ir"
)

// A number that is off in its last bit is within tolerance, but an integer made of
// it may be another: 49·(1/49) is below 1 in f32. What rounds numbers looks at the
// last bit.

// keepsDigits are the ops whose results have their input's last bits, more or less:
// what looks at these behind them looks at the input's.
var keepsDigits = set("Add", "AddV2", "AddN", "Sub", "Mul", "RealDiv", "Div", "Neg", "Abs", "Maximum", "Minimum", "ClipByValue", "Relu", "Relu6", "LeakyRelu",
	"Max", "Min", "MaxPool", "Square", "Sqrt", "BiasAdd", "Select", "SelectV2", "Where", "ConcatV2", "Pack", "Unpack", "Split", "SplitV", "Pad", "PadV2",
	"MirrorPad", "Gather", "GatherV2", "GatherNd", "Transpose", "Reshape", "Squeeze", "ExpandDims", "Identity", "IdentityN", "Slice", "StridedSlice", "Tile",
	"BroadcastTo", "ReverseV2", "Roll", "Cast", "Pow", "_PowHalf", "Cumsum", "Sum", "Mean", "Log", "Exp", "Log1p",
	ir.YieldOp, ir.MergeOp, ir.LoopVarOp, ir.NextOp)

// roundsNumbers are the ops of floating-point results that are integers, or jump.
var roundsNumbers = set("Floor", "Ceil", "Round", "Rint", "Sign", "FloorDiv", "FloorMod", "Mod", "TruncateDiv", "TruncateMod", "Bitcast", "NextAfter",
	"FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel", "QuantizeAndDequantize", "QuantizeAndDequantizeV2",
	"QuantizeAndDequantizeV3", "QuantizeAndDequantizeV4")

// roundingSeen reports that the last bit of a number in o may decide about an integer,
// a bool or a text, or about a jump of a function.
func roundingSeen(readers map[ir.Out][]*ir.Node, o ir.Out) bool {
	done := map[ir.Out]bool{o: true}
	for todo := []ir.Out{o}; len(todo) > 0; {
		o := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, r := range readers[o] {
			if len(r.Outs) == 0 || roundsNumbers[r.Op] || callsFunctions(r) {
				return true
			}
			for i, f := range r.Outs {
				next := ir.Out{Node: r, Index: i}
				switch d := f.DType; {
				case !d.IsFloat() && !d.IsComplex() && (len(readers[next]) > 0 || i == 0):
					return true
				case keepsDigits[r.Op] && !done[next]:
					done[next] = true
					todo = append(todo, next)
				}
			}
		}
	}
	return false
}
