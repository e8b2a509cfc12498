// Savedmodel runs several signatures of one SavedModel, TensorFlow Serving's
// half_plus_two: y = x/2 + 2 and y2 = x/2 + 3. The signatures share the weights,
// which graphc read from the checkpoint. Two of the signatures take serialized
// tf.Example messages, as TensorFlow Serving's classify and regress calls do.
package main

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"strconv"

	"github.com/graphc/graphc/examples/savedmodel/model"
)

//go:generate go tool graphc generate

func main() {
	log.SetFlags(0)
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: savedmodel X...\n\nX is a number.")
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	var xs []float32
	for _, s := range flag.Args() {
		x, err := strconv.ParseFloat(s, 32)
		if err != nil {
			log.Fatal(err)
		}
		xs = append(xs, float32(x))
	}
	m, err := model.New()
	if err != nil {
		log.Fatal(err)
	}
	a, b, err := regress(context.Background(), m, xs)
	if err != nil {
		log.Fatal(err)
	}
	for i, x := range xs {
		fmt.Printf("x = %g: x/2+2 = %g, x/2+3 = %g\n", x, a[i], b[i])
	}
}

// regress runs two signatures on one batch of examples.
func regress(ctx context.Context, m *model.Model, xs []float32) (y, y2 []float32, err error) {
	batch := model.Tensor[string]{Shape: []int{len(xs)}}
	for _, x := range xs {
		batch.Data = append(batch.Data, example("x", x))
	}
	a, err := m.RegressXToY(ctx, model.RegressXToYInput{Inputs: batch})
	if err != nil {
		return nil, nil, err
	}
	b, err := m.RegressXToY2(ctx, model.RegressXToY2Input{Inputs: batch})
	if err != nil {
		return nil, nil, err
	}
	return a.Outputs.Data, b.Outputs.Data, nil
}

// example returns a serialized tf.Example with one feature that holds floats.
// A program that has the generated messages of tensorflow/core/example can call
// proto.Marshal instead.
func example(key string, values ...float32) string {
	var packed []byte
	for _, v := range values {
		packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(v))
	}
	list := field(1, packed)                    // FloatList.value
	feature := field(2, list)                   // Feature.float_list
	entry := field(1, []byte(key))              // the map entry's key
	entry = append(entry, field(2, feature)...) // and value
	features := field(1, entry)                 // Features.feature
	return string(field(1, features))           // Example.features
}

// field returns the wire format of a protocol buffer field that holds bytes.
func field(number uint64, data []byte) []byte {
	b := binary.AppendUvarint(nil, number<<3|2)
	b = binary.AppendUvarint(b, uint64(len(data)))
	return append(b, data...)
}
