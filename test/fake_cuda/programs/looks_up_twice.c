/* looks_up_twice LIBRARY OTHER: looks the same functions up in two copies of a library, and calls both. */
#include <dlfcn.h>
#include <stdio.h>

static int product_in(const char* path, int m) {
  static const float one = 1;
  static float matrix[1];
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  int (*create)(void**);
  int (*multiply)(void*, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*,
                  float*, int);
  *(void**)&create = dlsym(library, "cublasCreate_v2");
  *(void**)&multiply = dlsym(library, "cublasSgemm_v2");
  void* handle = NULL;
  create(&handle);
  return multiply(handle, 0, 0, m, 1, 1, &one, matrix, 1, matrix, 1, &one, matrix, 1);
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) printf("%d\n", product_in(argv[i], i));
  return 0;
}
