// Runs an OpenVINO model with one float input through OpenVINO's C interface: openvino MODEL ROWS COLUMNS FEED
// Prints the result, and the shared libraries that are mapped then. Link it with libopenvino_c.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { int64_t rank; int64_t *dims; } shape;
int ov_core_create(void **);
int ov_core_read_model(void *, const char *, const char *, void **);
int ov_core_compile_model(void *, void *, const char *, size_t, void **, ...);
int ov_compiled_model_create_infer_request(void *, void **);
int ov_tensor_create(int, shape, void **);
int ov_tensor_data(void *, void **);
int ov_tensor_get_size(void *, size_t *);
int ov_infer_request_set_input_tensor(void *, void *);
int ov_infer_request_infer(void *);
int ov_infer_request_get_output_tensor(void *, void **);

#define F32 4
#define TRY(x) do { int e = x; if (e) { fprintf(stderr, "%s: %d\n", #x, e); return 1; } } while (0)

int main(int argc, char **argv) {
    void *core, *model, *compiled, *request, *in, *out;
    int64_t dims[] = {atoll(argv[2]), atoll(argv[3])};
    shape s = {2, dims};
    float *x, *y;
    size_t n;
    TRY(ov_core_create(&core));
    TRY(ov_core_read_model(core, argv[1], NULL, &model));
    TRY(ov_core_compile_model(core, model, "CPU", 4, &compiled, "INFERENCE_NUM_THREADS", "1",
                              "INFERENCE_PRECISION_HINT", "f32"));
    TRY(ov_compiled_model_create_infer_request(compiled, &request));
    TRY(ov_tensor_create(F32, s, &in));
    TRY(ov_tensor_data(in, (void **)&x));
    FILE *f = fopen(argv[4], "rb");
    if (!f || fread(x, 4, dims[0] * dims[1], f) != (size_t)(dims[0] * dims[1])) return 1;
    TRY(ov_infer_request_set_input_tensor(request, in));
    TRY(ov_infer_request_infer(request));
    TRY(ov_infer_request_get_output_tensor(request, &out));
    TRY(ov_tensor_data(out, (void **)&y));
    TRY(ov_tensor_get_size(out, &n));
    for (size_t i = 0; i < n; i++) printf("%g ", y[i]);
    printf("\n");
    fflush(stdout);
    return system("sort -u -k6 /proc/$PPID/maps | awk '/\\.so/ {print $6}' | sort -u | xargs ls -lL | awk '{print $5, $9}'");
}
