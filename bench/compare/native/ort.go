//go:build ignore

// Command ort runs an ONNX model in ONNX Runtime. The model must have one input and one output,
// both of type float. The command line is: ort LIBRARY MODEL INPUT SHAPE FEED OUTPUT
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"

	ort "github.com/yalue/onnxruntime_go"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	ort.SetSharedLibraryPath(args[0])
	if err := ort.InitializeEnvironment(); err != nil {
		return err
	}
	opts, err := ort.NewSessionOptions()
	if err != nil {
		return err
	}
	if err := opts.SetIntraOpNumThreads(1); err != nil {
		return err
	}
	s, err := ort.NewDynamicAdvancedSession(args[1], []string{args[2]}, []string{args[5]}, opts)
	if err != nil {
		return err
	}
	var shape []int64
	if err := json.Unmarshal([]byte(args[3]), &shape); err != nil {
		return err
	}
	raw, err := os.ReadFile(args[4])
	if err != nil {
		return err
	}
	data := make([]float32, len(raw)/4)
	if err := binary.Read(bytes.NewReader(raw), binary.LittleEndian, data); err != nil {
		return err
	}
	x, err := ort.NewTensor(ort.NewShape(shape...), data)
	if err != nil {
		return err
	}
	out := []ort.Value{nil}
	if err := s.Run([]ort.Value{x}, out); err != nil {
		return err
	}
	fmt.Println(out[0].(*ort.Tensor[float32]).GetData())
	return nil
}
