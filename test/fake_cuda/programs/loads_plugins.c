/* loads_plugins local|global|deepbind PLUGIN...: opens each plugin and runs it, twice over. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  int flags = RTLD_NOW | RTLD_LOCAL;
  if (strcmp(argv[1], "global") == 0) flags = RTLD_NOW | RTLD_GLOBAL;
  if (strcmp(argv[1], "deepbind") == 0) flags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
  int (*run[8])(int) = {0};
  for (int i = 2; i < argc && i < 10; ++i) {
    void* plugin = dlopen(argv[i], flags);
    if (plugin == NULL) {
      printf("%s\n", dlerror());
      return 1;
    }
    *(void**)&run[i - 2] = dlsym(plugin, "run");
  }
  for (int round = 0; round < 2; ++round) {
    for (int i = 2; i < argc && i < 10; ++i) printf("%d\n", run[i - 2](10 * i + round));
  }
  return 0;
}
