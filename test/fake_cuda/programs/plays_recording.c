/* Starts CUDA, so that what is injected is there, and has the libcupti of XSP_CUPTI play its recording. With the word
 * `kill` it goes on for half a second and is killed. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cuInit(unsigned);

int main(int count, char** words) {
  const char* path = getenv("XSP_CUPTI");
  int (*play)(void) = NULL;
  if (cuInit(0) != 0 || path == NULL) return 3;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library != NULL) *(void**)&play = dlsym(library, "play_recording");
  if (play == NULL || play() != 0) return 4;
  if (count > 1 && strcmp(words[1], "kill") == 0) {
    usleep(500000);
    raise(SIGKILL);
  }
  puts("done");
  return 0;
}
