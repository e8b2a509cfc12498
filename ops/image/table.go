// Package image describes ops on pictures and sound: files, colours, sizes, boxes.
package image

import (
	"slices"

	"github.com/graphc/graphc/lower"
)

// Ops describes the ops of this family.
func Ops() lower.Family {
	return lower.Family{
		Batch: batchRules,
		Defs:  slices.Concat(resizeGradDefs, projectDefs, colourDefs, nmsDefs, imageDefs, codecDefs, audioDefs, boxDefs),
		GPU:   slices.Concat(scalarPixels(), gpuImages()),
	}
}
