/* A library linked to one version of libpair, which uses it when it is unloaded, too. */
#include <dlfcn.h>
#include <stdio.h>

int pair_sum(int a, int b);
int pair_version(void);

int use_pair(int a, int b) { return pair_sum(a, b); }

/* RTLD_DEFAULT is the global scope and then this library's own, which has libpair; of either version with dlvsym. */
void look_up_default(void) {
  int (*sum)(int, int) = (int (*)(int, int))dlsym(RTLD_DEFAULT, "pair_sum");
  const char* error = dlerror();
  printf("%d %s\n", sum(1, 2), error != NULL ? error : "no error");
  char version[] = "libpair.so.0";
  version[sizeof version - 2] = '0' + VERSION;
  sum = (int (*)(int, int))dlvsym(RTLD_DEFAULT, "pair_sum", version);
  error = dlerror();
  printf("%d %s\n", sum(3, 4), error != NULL ? error : "no error");
}

__attribute__((destructor)) static void at_unload(void) {
  if (pair_version() != VERSION) printf("unloading: version %d for %d\n", pair_version(), VERSION);
}
