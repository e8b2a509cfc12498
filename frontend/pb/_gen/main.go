// Command _gen compiles the .proto files of the parent folder to Go. It does not need protoc: it
// parses the files with package protocompile, and generates the code with the command
// protoc-gen-go.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run writes the generated files to root/frontend/pb; root is the module's folder.
func run(root string) error {
	paths, err := filepath.Glob(filepath.Join(root, "frontend/pb/*.proto"))
	if err != nil {
		return err
	}
	slices.Sort(paths)
	req := &pluginpb.CodeGeneratorRequest{Parameter: proto.String("paths=source_relative")}
	for _, p := range paths {
		req.FileToGenerate = append(req.FileToGenerate, "frontend/pb/"+filepath.Base(p))
	}
	compiler := protocompile.Compiler{
		Resolver:       &protocompile.SourceResolver{ImportPaths: []string{root}},
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(context.Background(), req.FileToGenerate...)
	if err != nil {
		return err
	}
	// Add the files that a file imports before the file itself, as the plugin's protocol requires.
	done := map[string]bool{}
	var add func(path string, fd *descriptorpb.FileDescriptorProto)
	byPath := map[string]*descriptorpb.FileDescriptorProto{}
	for _, f := range files {
		byPath[f.Path()] = protoutil.ProtoFromFileDescriptor(f)
	}
	add = func(path string, fd *descriptorpb.FileDescriptorProto) {
		if done[path] {
			return
		}
		done[path] = true
		for _, d := range fd.Dependency {
			add(d, byPath[d])
		}
		req.ProtoFile = append(req.ProtoFile, fd)
	}
	for _, f := range files {
		add(f.Path(), byPath[f.Path()])
	}
	in, err := proto.Marshal(req)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "tool", "protoc-gen-go")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	var resp pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(out, &resp); err != nil {
		return err
	}
	if resp.Error != nil {
		return fmt.Errorf("protoc-gen-go: %s", *resp.Error)
	}
	for _, f := range resp.File {
		if err := os.WriteFile(filepath.Join(root, f.GetName()), []byte(f.GetContent()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
