package pb

import (
	"os"
	"testing"

	"github.com/graphc/graphc/internal/testkit"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// TestAgreesWithTensorFlow: every field has the name, number, type and cardinality that it has in
// TensorFlow, and every enumerator has TensorFlow's number.
func TestAgreesWithTensorFlow(t *testing.T) {
	raw, err := os.ReadFile(testkit.NeedShared(t, "ops", "messages.pb"))
	if err != nil {
		t.Fatal(err)
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(raw, &set); err != nil {
		t.Fatal(err)
	}
	messages := map[string]*descriptorpb.DescriptorProto{}
	enums := map[string]*descriptorpb.EnumDescriptorProto{}
	var add func(prefix string, m *descriptorpb.DescriptorProto)
	add = func(prefix string, m *descriptorpb.DescriptorProto) {
		name := prefix + m.GetName()
		messages[name] = m
		for _, n := range m.NestedType {
			add(name+".", n)
		}
		for _, e := range m.EnumType {
			enums[name+"."+e.GetName()] = e
		}
	}
	for _, f := range set.File {
		prefix := ""
		if f.GetPackage() == "tensorflow.tf2xla" {
			prefix = "XLA"
		}
		for _, m := range f.MessageType {
			add(prefix, m)
		}
		for _, e := range f.EnumType {
			enums[e.GetName()] = e
		}
	}
	n := 0
	var check func(ms protoreflect.MessageDescriptors)
	checkEnums := func(es protoreflect.EnumDescriptors) {
		for i := range es.Len() {
			e := es.Get(i)
			name := string(e.FullName())[len("graphc.tf."):]
			want := enums[name]
			if want == nil || len(want.Value) != e.Values().Len() {
				t.Errorf("enum %s differs", name)
				continue
			}
			for _, v := range want.Value {
				if got := e.Values().ByName(protoreflect.Name(v.GetName())); got == nil || int32(got.Number()) != v.GetNumber() {
					t.Errorf("enumerator %s.%s differs", name, v.GetName())
				}
			}
		}
	}
	check = func(ms protoreflect.MessageDescriptors) {
		for i := range ms.Len() {
			m := ms.Get(i)
			name := string(m.FullName())[len("graphc.tf."):]
			want := messages[name]
			if want == nil {
				t.Errorf("TensorFlow has no message %s", name)
				continue
			}
			if m.ParentFile() == File_frontend_pb_session_config_proto && m.Fields().Len() != len(want.Field) {
				t.Errorf("message %s has %d fields, TensorFlow's has %d: all are read, so that none is dropped in silence", name, m.Fields().Len(), len(want.Field))
			}
			for j := range m.Fields().Len() {
				f := m.Fields().Get(j)
				var w *descriptorpb.FieldDescriptorProto
				for _, x := range want.Field {
					if x.GetName() == string(f.Name()) {
						w = x
					}
				}
				n++
				if w == nil || w.GetNumber() != int32(f.Number()) || int(w.GetType()) != int(f.Kind()) || (w.GetLabel() == descriptorpb.FieldDescriptorProto_LABEL_REPEATED) != (f.Cardinality() == protoreflect.Repeated) {
					t.Errorf("field %s.%s differs: %v", name, f.Name(), w)
				}
			}
			check(m.Messages())
			checkEnums(m.Enums())
		}
	}
	for _, f := range []protoreflect.FileDescriptor{File_frontend_pb_graph_proto, File_frontend_pb_saved_model_proto, File_frontend_pb_tf2xla_proto, File_frontend_pb_session_config_proto} {
		check(f.Messages())
		checkEnums(f.Enums())
	}
	if n < 150 {
		t.Errorf("%d fields compared", n)
	}
}
