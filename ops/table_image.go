// Package image has pictures and sound: files, colours, sizes, boxes.
package ops

import "slices"

// imageFamily describes them.
func imageFamily() Family {
	return Family{
		Defs: slices.Concat(resizeGradDefs, projectDefs, colourDefs, nmsDefs, imageDefs, codecDefs, audioDefs, boxDefs),
		GPU:  slices.Concat(scalarPixels(), gpuImages()),
	}
}
