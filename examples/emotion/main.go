// Emotion recognizes the expression of a face. The classifier was trained with
// TensorFlow. graphc compiles it into the package model below this folder, which
// becomes part of one static executable.
//
// The picture is a PNG or JPEG that shows only the face. It is converted to grey
// and scaled to 64×64.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"sort"

	"github.com/graphc/graphc/examples/emotion/face"
	"github.com/graphc/graphc/examples/emotion/model"
)

//go:generate go tool graphc generate

func main() {
	log.SetFlags(0)
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: emotion PICTURE...\n\nPICTURE is a PNG or JPEG of a face.")
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	m, err := model.New()
	if err != nil {
		log.Fatal(err)
	}
	for _, path := range flag.Args() {
		scores, err := classify(m, path)
		if err != nil {
			log.Fatalf("%s: %v", path, err)
		}
		fmt.Printf("%s: %s\n", path, answer(scores))
	}
}

// classify returns the probability of each label.
func classify(m *model.Model, path string) ([]float32, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, err := face.Decode(context.Background(), f)
	if err != nil {
		return nil, err
	}
	out, err := m.Predict(context.Background(), model.PredictInput{
		Picture: model.Tensor[float32]{Shape: []int{1, face.Size, face.Size, 1}, Data: face.Pixels(nil, img)},
	})
	return out.Scores.Data, err
}

// answer formats the three most likely labels, for example happy 99.9 %, ….
func answer(scores []float32) string {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return scores[order[i]] > scores[order[j]] })
	s := ""
	for i, k := range order[:min(3, len(order))] {
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprintf("%s %.1f %%", face.Labels[k], 100*scores[k])
	}
	return s
}
