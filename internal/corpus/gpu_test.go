package corpus

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/testkit"
)

// gpuDiffers maps the cases that may fail on a GPU to the reasons. Most of these cases expect an
// error that TensorFlow returns only on a CPU. A key is the last two elements of a case's path.
var gpuDiffers = map[string]string{
	"devices/error_gpu_asked_for_and_absent": "the device is there",
	"_graph/error_bad_device":                "what nodes ask for is ignored when they are placed at random",
	"Conv2D/error_nchw_on_cpu":               "graphs with NCHW are run",
	"MaxPool/error_nchw_on_cpu":              "graphs with NCHW are run",

	"Gather/error_index_out_of_range":                                                     outside,
	"GatherV2/error_index_out_of_range":                                                   outside,
	"GatherV2/error_negative_index":                                                       outside,
	"GatherNd/error_index_out_of_range":                                                   outside,
	"TensorScatterUpdate/error_negative_index":                                            outside,
	"ScatterNd/error_index_out_of_range":                                                  outside,
	"SegmentSum/error_ids_not_sorted":                                                     outside,
	"Bincount/error_negative":                                                             outside,
	"SegmentMax/error_negative_id":                                                        outside,
	"UnsortedSegmentSum/error_id_too_large":                                               outside,
	"SparseSegmentSum/error_index_out_of_range":                                           outside,
	"SparseSegmentMean/error_ids_not_sorted":                                              outside,
	"SparseTensorDenseMatMul/error_out_of_bounds":                                         outside,
	"SparseSegmentMeanGradV2/error_float":                                                 outside,
	"SparseSoftmaxCrossEntropyWithLogits/error_label_out_of_range_is_nan_or_error_on_cpu": outside,
	"SparseSoftmaxCrossEntropyWithLogits/error_negative_label":                            outside,

	"Sign/complex_rest": "the last digits are those of the CPU's vector instructions",
}

// outside is the reason, in the map gpuDiffers, for cases with an index or a label out of range. Such
// an index or label is an error on a CPU, but not on a GPU.
const outside = "TensorFlow's GPU kernels look at no index: 0 or NaN is read, nothing written"

// TestGPU runs the recorded cases on a simulated GPU, with nodes where the placer puts them. If
// long tests are enabled, it also runs them with each node on the GPU or the CPU at random.
func TestGPU(t *testing.T) {
	dirs := append(testkit.Sample(t), testkit.SharedCases(t, "models", "features", "ops")...)
	light := slices.DeleteFunc(slices.Clone(dirs), func(d string) bool { return filepath.Base(d) == "models" }) // kernels are interpreted
	for _, m := range []struct {
		name, args string
		dirs       []string
	}{
		{"placed", "--exec --soft-placement", dirs},
		{"placed, --noopt", "--exec --soft-placement --noopt", light},
		{"at random, 1", "--exec --spread 1", light},
		{"at random, 2", "--exec --spread 2", light},
	} {
		if m.name != "placed" && !testkit.Long() {
			continue
		}
		t.Run(m.name, func(t *testing.T) { onGPU(t, append(strings.Fields(m.args), m.dirs...)) })
	}
	if testkit.Long() {
		t.Run("emitted", func(t *testing.T) {
			onGPU(t, append([]string{"--soft-placement"}, testkit.Sample(t, "features")...))
		})
	}
}

func onGPU(t *testing.T, args []string) {
	for _, v := range verify(t, append([]string{"--devices", "gpu:0,cpu:0", "--timeout", "10m"}, args...)...) {
		if v.Status == "ok" || strings.HasPrefix(v.Reason, "structure: ") { // a case's conditions on the graph assume one device
			continue
		}
		path := strings.Split(filepath.ToSlash(v.Path), "/")
		if why := gpuDiffers[strings.Join(path[max(0, len(path)-2):], "/")]; why == "" {
			t.Errorf("%s: %s %s", v.Path, v.Status, v.Reason)
		}
	}
}
