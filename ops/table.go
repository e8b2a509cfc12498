package ops

import (
	"slices"
	"sync"
)

// Ops returns the table of all ops that graphc compiles.
var Ops = sync.OnceValue(func() *Table {
	return NewTable(Family{
		Defs: slices.Concat(coreDefs, checkpointDefs, sessionDefs, barrierDefs, accumulatorDefs, stageDefs, queueDefs, lookupDefs, flowDefs, transferDefs, trainDefs, sumToDefs, sparseGradDefs, crossProductDefs, histogramDefs, resizeGradDefs, dilationDefs, projectDefs, unicodeDefs, fftDefs, quantDefs, quantNNDefs, uniformDefs, normGradDefs, colourDefs, linalgDefs, volumeDefs, parseDefs, einsumDefs, nmsDefs, printDefs, stringDefs, randomDefs, variableDefs, variableSliceDefs, anyRankDefs, someRowsDefs, listDefs, tensorArrayDefs, stackDefs, imageDefs, normDefs, poolDefs, convDefs, elementwiseDefs, compareDefs, castDefs, reduceDefs, scanDefs, softmaxDefs, chooseDefs, sumDefs, gradientDefs, complexDefs, zerosLikeDefs, specialDefs, countDefs, numericsDefs, matmulDefs, fusedDefs, powHalfDefs, attentionDefs, goDefs(), conditionDefs, deviceIndexDefs, sparseDefs, sparseMatrixDefs, sparseSerialDefs, raggedDefs, setDefs, countSparseDefs, crossDefs, ngramDefs, tensorMapDefs, mutexDefs, codecDefs, audioDefs, boxDefs, rnnCellDefs, ctcDefs, fractionalDefs, convFormDefs, clusterDefs, approxDefs, quantFusedDefs, gammaDefs, statefulRandomDefs, samplerDefs, matrixFuncDefs, tridiagonalDefs, csvDefs, protoDefs, summaryDefs, fileDefs, readerDefs, deniedDefs, debugDefs, takenDefs, reshapeDefs, shapeOfDefs, sliceDefs, concatDefs, splitDefs, transposeDefs, padDefs, fillDefs, sequenceDefs, gatherDefs, reverseDefs, selectDefs, spaceDefs, scatterDefs, stitchDefs, uniqueDefs, diagDefs, orderDefs, segmentDefs, shapeArgDefs, sliceUpdateDefs, patchDefs, formatDefs),
		GPU:  slices.Concat(gpuCells(), gpuTransforms(), gpuMatrices(), gpuSparse(), scalarFunctions(), scalarMoves(), scalarPixels(), scalarFakes(), scalarUpdates(), gpuVariables(), gpuVarScatters(), gpuJoins(), gpuReductions(), gpuProducts(), gpuRows(), gpuNorms(), gpuWindows(), gpuGathers(), gpuSegments(), gpuImages(), gpuRandoms(), gpuOrders(), gpuScans(), gpuDilations(), gpuPicks(), gpuCounts(), gpuSlices(), gpuFormats(), gpuQuants(), gpuChecks(), gpuGlobalNorms(), gpuApproxTopK()),
	})
})

// Lookup returns the description of an op, nil if it is unknown.
func Lookup(op string) *Def { return Ops().Lookup(op) }

// All returns the descriptions of all ops but those that are Replaced, sorted by name.
func All() []*Def { return Ops().All() }
