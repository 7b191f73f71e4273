/* forks HOW: a product before, two in the child (by exec where the child may do nothing else), two after. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_api.h"

extern char** environ;

static void* handle;

static int in_child(void) {
  multiply(handle, 10, 1, 1);
  multiply(handle, 11, 1, 1);
  return 3;
}

int main(int argc, char** argv) {
  cublasCreate_v2(&handle);
  if (argc > 2) return in_child();
  multiply(handle, 1, 1, 1);
  const char* how = argv[1];
  char* arguments[] = {argv[0], argv[1], "child", NULL};
  pid_t child = -1;
  if (strcmp(how, "fork") == 0) child = fork();
  if (strcmp(how, "_Fork") == 0) child = _Fork();
  if (strcmp(how, "raw") == 0) child = (pid_t)syscall(SYS_fork);
  if (strcmp(how, "vfork") == 0) {
    child = vfork();
    if (child == 0) {
      execv("/proc/self/exe", arguments);
      _exit(9);
    }
  }
  if (strcmp(how, "spawn") == 0) posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ);
  if (child == 0) exit(in_child());
  int status = 0;
  waitpid(child, &status, 0);
  printf("child %d\n", WEXITSTATUS(status));
  printf("%d\n", multiply(handle, 2, 1, 1) + multiply(handle, 3, 1, 1));
  return 0;
}
