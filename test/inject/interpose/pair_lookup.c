/* A plugin that looks up what nothing has, in its own name. */
#include <dlfcn.h>
#include <stdio.h>

void look_up_default(void) {
  printf("%d ", dlsym(RTLD_DEFAULT, "pair_sum") == NULL);
  printf("%s\n", dlerror());
}
