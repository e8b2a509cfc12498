// Package face prepares pictures for the emotion model and names its classes.
package face

import (
	"image"
	"image/color"
)

// Labels are the names of the model's classes, in the order of the model's scores.
var Labels = [...]string{"angry", "disgusted", "afraid", "happy", "sad", "surprised", "neutral"}

// Size is the width and the height, in pixels, of the pictures that the model needs.
const Size = 64

// Pixels converts the picture to grey, scales it to Size×Size with the nearest pixels, and maps its
// values to -1…1, as in the training of the model. It appends them to p.
func Pixels(p []float32, img image.Image) []float32 {
	b := img.Bounds()
	for y := range Size {
		for x := range Size {
			c := img.At(b.Min.X+(2*x+1)*b.Dx()/(2*Size), b.Min.Y+(2*y+1)*b.Dy()/(2*Size))
			p = append(p, float32(color.GrayModel.Convert(c).(color.Gray).Y)/127.5-1)
		}
	}
	return p
}
