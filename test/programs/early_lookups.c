/* Looks functions up before anything else works, as the runtime of a sanitizer does: its own dl_iterate_phdr and strcmp
 * stand in front of libc's, and end the program until they have found those. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

typedef int (*phdr_visitor)(struct dl_phdr_info* info, size_t size, void* data);
static int (*next_dl_iterate_phdr)(phdr_visitor visit, void* data);

int dl_iterate_phdr(phdr_visitor visit, void* data) {
  if (next_dl_iterate_phdr == NULL) abort();
  return next_dl_iterate_phdr(visit, data);
}

int strcmp(const char* left, const char* right) {
  if (next_dl_iterate_phdr == NULL) abort();
  for (; *left == *right && *left != '\0'; ++left, ++right) {
  }
  return (unsigned char)*left - (unsigned char)*right;
}

static void look_up(void) {
  *(void**)&next_dl_iterate_phdr = dlsym(RTLD_NEXT, "dl_iterate_phdr");
  if (next_dl_iterate_phdr == NULL) abort();
}
__attribute__((section(".preinit_array"), used)) static void (*const before_all_constructors)(void) = look_up;

int main(void) {
  printf("%d\n", dlsym(RTLD_DEFAULT, "sgemm_") == NULL);
  return 0;
}
