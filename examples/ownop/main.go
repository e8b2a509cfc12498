// Ownop scores how friendly texts are. Its graph has an op that graphc does not support. A Go
// function of package textops is the kernel of this op. Another function of the package replaces
// the kernel of one of TensorFlow's ops.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/graphc/graphc/examples/ownop/model"
)

//go:generate go tool graphc generate

func main() {
	log.SetFlags(0)
	texts := os.Args[1:]
	if len(texts) == 0 {
		log.Fatal("usage: ownop TEXT…")
	}
	if err := run(os.Stdout, texts); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer, texts []string) error {
	m, err := model.New()
	if err != nil {
		return err
	}
	defer m.Close()
	out, err := m.Predict(context.Background(), model.PredictInput{Texts: model.Tensor[string]{Shape: []int{len(texts)}, Data: texts}})
	if err != nil {
		return err
	}
	for i, s := range out.Scores.Data {
		fmt.Fprintf(w, "%.2f %s\n", s, texts[i])
	}
	return nil
}
