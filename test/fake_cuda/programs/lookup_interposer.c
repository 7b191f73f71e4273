/* Another tool that has a dlsym of its own: counts the lookups of product functions, and goes on by a tail jump. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int lookups;
static void* next_dlsym;

__attribute__((used)) static void* count(const char* name) {
  if (next_dlsym == NULL) next_dlsym = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
  if (name != NULL && strstr(name, "gemm") != NULL) lookups++;
  return next_dlsym;
}

__asm__(
    ".globl dlsym\n.type dlsym, @function\ndlsym:\n"
    "  push %rdi\n  push %rsi\n  sub $8, %rsp\n"
    "  mov %rsi, %rdi\n  call count\n"
    "  add $8, %rsp\n  pop %rsi\n  pop %rdi\n  jmp *%rax\n.size dlsym, . - dlsym\n");

__attribute__((destructor)) static void at_exit(void) { fprintf(stderr, "lookups of products: %d\n", lookups); }
