/* Spans on three threads and in a forked child, a function looked up by name, and one planted fault:
 *
 *   sanitized_spans [leak | overrun | race | race-and-leave]
 *
 * Prints how many spans it made. Built by tests with one sanitizer after the other. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xsp.h>

enum { kSpans = 500 };

static int unguarded;
static void* volatile kept;

static void* record(void* unused) {
  (void)unused;
  char name[64];
  for (int i = 0; i < kSpans; ++i) {
    snprintf(name, sizeof name, "step %d", i % 7);
    const xsp_span span = xsp_start_span(xsp_intern(name), XSP_LAYER);
    xsp_tag_span(span, "name", name);
    xsp_finish_span(span);
  }
  return NULL;
}

static void* race(void* unused) {
  (void)unused;
  for (int i = 0; i < 1000; ++i) ++unguarded;
  return NULL;
}

static void on_two_threads(void* (*work)(void*)) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}

int main(int argc, char** argv) {
  const char* fault = argc > 1 ? argv[1] : "";
  int (*print)(const char*) = NULL;
  *(void**)&print = dlsym(RTLD_DEFAULT, "puts");
  record(NULL);
  on_two_threads(record);
  const pid_t child = fork();
  if (child == 0) {
    record(NULL);
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  char text[64];
  snprintf(text, sizeof text, "%d spans, child %d", 4 * kSpans, status);
  print(text);
  fflush(stdout);
  if (strcmp(fault, "leak") == 0) {
    kept = malloc(77);
    kept = NULL;
  } else if (strcmp(fault, "overrun") == 0) {
    char* bytes = malloc(8);
    kept = bytes;
    memset(bytes, 1, 9);
    free(bytes);
  } else if (strncmp(fault, "race", 4) == 0) {
    on_two_threads(race);
    if (strcmp(fault, "race-and-leave") == 0) _exit(0);
  }
  return 0;
}
