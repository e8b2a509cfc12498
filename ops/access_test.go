package ops_test

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	flowops "github.com/graphc/graphc/ops/flow"
	"github.com/graphc/graphc/rt/tensor"
)

// accessOf checks a graph with a single node of the given op and returns the error.
func accessOf(op string, attrs map[string]ir.Attr, options ...lower.Option) error {
	g := ir.NewGraph("test")
	c := g.NewNode("c", "Const", map[string]ir.Attr{}, 1)
	c.Outs[0].DType = tensor.String
	c.Outs[0].Const = &tensor.Tensor{DType: tensor.String, Shape: tensor.Shape{}, Data: []string{"x"}}
	g.NewNode("n", op, attrs, 1, ir.Out{Node: c})
	return ops.Ops().Compilable(g, options...)
}

// TestAccess checks that ops are rejected if they access anything outside the program, such as
// files or processes. The error gives the op's name, the reason and an alternative. Ops on files
// are compiled if files are allowed.
func TestAccess(t *testing.T) {
	files, never := 0, 0
	for _, d := range ops.All() {
		if d.Access == nil {
			continue
		}
		if !strings.HasPrefix(d.Name, "_") {
			if opdef.Lookup(d.Name) == nil {
				t.Errorf("%s is no op", d.Name)
			}
		}
		a, what := d.Access(&ir.Node{Op: d.Name, Attrs: map[string]ir.Attr{}})
		switch {
		case a == lower.NoAccess:
			continue
		case what == "":
			t.Errorf("%s: no reason is given", d.Name)
		case (a == lower.Denied || a == lower.Foreign || a == lower.Endless) && d.Lower == nil:
			never++
		case a == lower.FileAccess && d.Lower != nil:
			files++
		default:
			t.Errorf("%s: access %d, but it has a lowering: %v", d.Name, a, d.Lower != nil)
		}
		want, without := tensor.OK, tensor.PermissionDenied
		named := `"n" (` + d.Name + `)`
		switch a {
		case lower.Denied:
			want = tensor.PermissionDenied
		case lower.Foreign: // the error lists the op together with unsupported ops
			want, named = tensor.PermissionDenied, d.Name+" (1 nodes): n:"
		case lower.Endless:
			want, without = tensor.DeadlineExceeded, tensor.DeadlineExceeded
		}
		if err := accessOf(d.Name, nil, lower.AllowFiles); tensor.CodeOf(err) != want {
			t.Errorf("%s with files: %v", d.Name, err)
		}
		err := accessOf(d.Name, nil)
		if tensor.CodeOf(err) != without || !strings.Contains(err.Error(), named) {
			t.Errorf("%s: %v", d.Name, err)
		}
	}
	if files < 15 || never < 60 {
		t.Errorf("%d ops of files, %d that are never compiled", files, never)
	}
}

func TestAccessByAttributes(t *testing.T) {
	for _, c := range []struct {
		op    string
		attrs map[string]ir.Attr
		want  tensor.Code
	}{
		{"PrintV2", map[string]ir.Attr{"output_stream": "stderr"}, tensor.OK},
		{"PrintV2", map[string]ir.Attr{"output_stream": "file:///x"}, tensor.PermissionDenied},
		{"DebugIdentityV3", map[string]ir.Attr{}, tensor.OK},
		{"DebugIdentityV3", map[string]ir.Attr{"debug_urls": []string{"grpc://host:1"}}, tensor.PermissionDenied},
		{"DebugIdentityV2", map[string]ir.Attr{"debug_urls": []string{"file:///x"}}, tensor.PermissionDenied},
		{"DebugNanCount", map[string]ir.Attr{"debug_urls": []string{"file:///x"}}, tensor.PermissionDenied},
		{"GetSessionTensor", nil, tensor.PermissionDenied},
		{"DeleteSessionTensor", nil, tensor.PermissionDenied},
		{"DecodeProtoV2", map[string]ir.Attr{"descriptor_source": "/etc/x"}, tensor.PermissionDenied},
		{"EncodeProto", map[string]ir.Attr{"descriptor_source": "local://"}, tensor.OK},
		{"DecodeProtoV2", map[string]ir.Attr{"descriptor_source": "bytes://"}, tensor.OK},
	} {
		if err := accessOf(c.op, c.attrs); tensor.CodeOf(err) != c.want {
			t.Errorf("%s %v: %v, want %v", c.op, c.attrs, err, c.want)
		}
	}
	g := ir.NewGraph("test")
	x := g.NewNode("x", "Placeholder", map[string]ir.Attr{}, 1)
	id := g.NewNode("id", "Identity", map[string]ir.Attr{}, 1, ir.Out{Node: x})
	g.NewNode("n", "GetSessionTensor", map[string]ir.Attr{}, 1, ir.Out{Node: id})
	if err := ops.Ops().Compilable(g); err != nil {
		t.Errorf("a handle that is fed: %v", err)
	}
	if a, _ := flowops.OtherSession(&ir.Node{}); a != lower.NoAccess {
		t.Error("a node without inputs")
	}
}
