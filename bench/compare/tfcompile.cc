// Runs a model that saved_model_cli aot_compile_cpu compiled: PROGRAM FEED... -- FETCH... [-- FEED... -- FETCH...]...
// FEED and FETCH are NAME=FILE, with the raw bytes of the tensor. A FEED may also be the value of a variable. Each pair
// of lists is one run of the same object. Build it with -include MODEL.h.
#include <cstring>
#include <fstream>
#include <iostream>

// list calls f with each NAME and FILE from argv[i] to the next "--", and returns the index behind that.
template <typename F>
int list(int i, int argc, char** argv, F f) {
  for (; i < argc && std::strcmp(argv[i], "--"); i++) {
    char* file = std::strchr(argv[i], '=');
    *file++ = 0;
    f(argv[i], file);
  }
  return i + 1;
}

int main(int argc, char** argv) {
  Model model;
  for (int i = 1; i < argc;) {
    i = list(i, argc, argv, [&](const char* name, const char* file) {
      int k = model.LookupArgIndex(name);
      if (k < 0) k = model.LookupVariableIndex(name);
      std::ifstream(file, std::ios::binary).read(static_cast<char*>(model.arg_data(k)), model.arg_size(k));
    });
    if (!model.Run()) return std::cerr << model.error_msg() << "\n", 1;
    i = list(i, argc, argv, [&](const char* name, const char* file) {
      int k = model.LookupResultIndex(name);
      std::ofstream(file, std::ios::binary).write(static_cast<char*>(model.result_data(k)), model.result_size(k));
    });
  }
}
