// Times TensorFlow's session through its C interface.
//
//   tfsession GRAPH CONFIG MODE RUNS SECONDS [feed=N,M] [fetch=NODE] [target=NODE]
//
// MODE time prints the median and least nanoseconds of a run; MODE cancel closes the
// session while a run waits, RUNS times, and prints the time until the run returns.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tensorflow/c/c_api.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static void check(TF_Status* s, const char* what) {
  if (TF_GetCode(s) != TF_OK) {
    fprintf(stderr, "%s: %s\n", what, TF_Message(s));
    exit(1);
  }
}

static TF_Buffer* load(const char* path) {
  FILE* f = fopen(path, "rb");
  if (!f) { perror(path); exit(1); }
  fseek(f, 0, SEEK_END);
  long n = ftell(f);
  rewind(f);
  char* b = malloc(n ? n : 1);
  if (fread(b, 1, n, f) != (size_t)n) exit(1);
  fclose(f);
  TF_Buffer* r = TF_NewBufferFromString(b, n);
  free(b);
  return r;
}

static int less(const void* a, const void* b) {
  double x = *(double*)a, y = *(double*)b;
  return (x > y) - (x < y);
}

static TF_Session* session;
static TF_Operation* target;
static double returned;

// begin_session creates the session of a graph, and returns the graph.
static TF_Graph* begin_session(TF_Buffer* def, TF_Buffer* config, TF_Status* s) {
  TF_Graph* g = TF_NewGraph();
  TF_ImportGraphDefOptions* o = TF_NewImportGraphDefOptions();
  TF_GraphImportGraphDef(g, def, o, s);
  check(s, "import");
  TF_SessionOptions* so = TF_NewSessionOptions();
  TF_SetConfig(so, config->data, config->length, s);
  check(s, "config");
  session = TF_NewSession(g, so, s);
  check(s, "session");
  TF_DeleteSessionOptions(so);
  TF_DeleteImportGraphDefOptions(o);
  return g;
}

static void* block(void* unused) {
  TF_Status* s = TF_NewStatus();
  const TF_Operation* t[1] = {target};
  TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, t, 1, NULL, s);
  returned = now();
  if (TF_GetCode(s) == TF_OK) { fprintf(stderr, "the run was not cancelled\n"); exit(1); }
  TF_DeleteStatus(s);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  TF_Status* s = TF_NewStatus();
  TF_Buffer* config = load(argv[2]);
  TF_Buffer* def = load(argv[1]);
  int runs = atoi(argv[4]);
  double seconds = atof(argv[5]);
  long feed[2] = {0, 0};
  int nfeed = 0;
  const char *fetch = NULL, *name = NULL;
  for (int i = 6; i < argc; i++) {
    if (!strncmp(argv[i], "feed=", 5)) { int k = sscanf(argv[i] + 5, "%ld,%ld", &feed[0], &feed[1]); nfeed = 1 + (k == 2 ? 2 : 0); }
    if (!strncmp(argv[i], "fetch=", 6)) fetch = argv[i] + 6;
    if (!strncmp(argv[i], "target=", 7)) name = argv[i] + 7;
  }
  double* t = malloc(sizeof(double) * (runs > 100000000 ? 1 : 4000000));
  int n = 0;
  if (!strcmp(argv[3], "cancel")) {
    for (int i = 0; i < runs; i++) {
      TF_Graph* g = begin_session(def, config, s);
      target = TF_GraphOperationByName(g, name);
      pthread_t p;
      pthread_create(&p, NULL, block, NULL);
      usleep(20000);
      double begin = now();
      TF_CloseSession(session, s);
      pthread_join(p, NULL);
      t[n++] = returned - begin;
      TF_DeleteSession(session, s);
      TF_DeleteGraph(g);
    }
  } else {
    TF_Graph* g = begin_session(def, config, s);
    TF_Output in = {TF_GraphOperationByName(g, "x"), 0};
    TF_Output out = {fetch ? TF_GraphOperationByName(g, fetch) : NULL, 0};
    const TF_Operation* targets[1] = {name ? TF_GraphOperationByName(g, name) : NULL};
    TF_Tensor* value = NULL;
    if (nfeed) {
      int64_t dims[2] = {feed[0], feed[1]};
      int rank = nfeed - 1;
      size_t bytes = sizeof(float) * (rank ? feed[0] * feed[1] : 1);
      value = TF_AllocateTensor(TF_FLOAT, dims, rank, bytes);
      float* v = TF_TensorData(value);
      for (size_t i = 0; i < bytes / sizeof(float); i++) v[i] = 0.001f * (i % 97);
    }
    double end = 0;
    for (int i = -3; n < runs && n < 4000000; i++) {
      TF_Tensor* got = NULL;
      double begin = now();
      TF_SessionRun(session, NULL, &in, &value, nfeed ? 1 : 0, &out, &got, fetch ? 1 : 0, targets, name ? 1 : 0, NULL, s);
      double took = now() - begin;
      check(s, "run");
      if (got) TF_DeleteTensor(got);
      if (i == 0) end = begin + seconds * 1e9;
      if (i < 0) continue;
      t[n++] = took;
      if (begin + took > end) break;
    }
  }
  qsort(t, n, sizeof(double), less);
  printf("{\"median\": %.1f, \"least\": %.1f, \"runs\": %d}\n", t[n / 2], t[0], n);
  return 0;
}
