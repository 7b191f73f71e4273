/* Spans with tags in the main thread, in threads that come and go, in a forked child and in the program that this one
 * becomes; the result, on stdout, is the same whatever becomes of the spans. The last argument is how often it is still
 * to become itself. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xsp.h>

static unsigned work(unsigned seed, int spans) {
  char text[32];
  for (int i = 0; i < spans; ++i) {
    snprintf(text, sizeof text, "work %d", i % 7);
    const xsp_span outer = xsp_start_span(xsp_intern(text), XSP_MODEL);
    const xsp_span inner = xsp_start_span(xsp_intern("inner"), XSP_LAYER);
    seed = seed * 1664525u + 1013904223u;
    xsp_tag_span(inner, "step", text);
    xsp_finish_span(inner);
    xsp_finish_span(outer);
  }
  return seed;
}

static void* thread_main(void* seed) {
  *(unsigned*)seed = work(*(unsigned*)seed, 50);
  return NULL;
}

int main(int argc, char** argv) {
  unsigned sum = work(1, 100);
  for (unsigned round = 0; round < 3; ++round) {
    pthread_t threads[2];
    unsigned seeds[2] = {round, round + 10};
    for (int i = 0; i < 2; ++i) {
      if (pthread_create(&threads[i], NULL, thread_main, &seeds[i]) != 0) return 4;
    }
    for (int i = 0; i < 2; ++i) {
      pthread_join(threads[i], NULL);
      sum += seeds[i];
    }
  }
  fflush(stdout);
  const pid_t child = fork();
  if (child < 0) return 5;
  if (child == 0) {
    printf("child %u\n", work(2, 100));
    exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) return 6;
  printf("parent %u\n", sum);
  fflush(stdout);
  if (argc > 1 && strcmp(argv[1], "0") != 0) {
    execl("/proc/self/exe", argv[0], "0", (char*)NULL);
    return 7;
  }
  return 3;
}
