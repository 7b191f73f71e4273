/* reopens PLUGIN... : opens, runs and closes each in turn, many times over; they come to lie at each other's addresses.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int rounds = atoi(argv[1]);
  long total = 0;
  for (int round = 0; round < rounds; ++round) {
    void* plugin = dlopen(argv[2 + round % (argc - 2)], RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL) {
      printf("%s\n", dlerror());
      return 1;
    }
    int (*run)(int);
    *(void**)&run = dlsym(plugin, "run");
    total += run(round + 1) / 10000;
    dlclose(plugin);
  }
  printf("%ld\n", total);
  return 0;
}
