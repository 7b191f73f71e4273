/* Loads the library named by its argument and records 100 spans through it; prints how many began. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  void* guest = dlopen(argc > 1 ? argv[1] : NULL, RTLD_NOW);
  if (guest == NULL) return 2;
  uint32_t (*intern)(const char*);
  uint64_t (*start)(uint32_t, int);
  void (*finish)(uint64_t);
  *(void**)&intern = dlsym(guest, "xsp_intern");
  *(void**)&start = dlsym(guest, "xsp_start_span");
  *(void**)&finish = dlsym(guest, "xsp_finish_span");
  if (intern == NULL || start == NULL || finish == NULL) return 3;
  int begun = 0;
  const uint32_t name = intern("loaded by hand");
  for (int i = 0; i < 100; ++i) {
    const uint64_t span = start(name, 2);
    begun += span != 0;
    finish(span);
  }
  printf("user %d, group %d: %d begun\n", (int)geteuid(), (int)getegid(), begun);
  return 0;
}
