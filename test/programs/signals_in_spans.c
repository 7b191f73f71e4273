/* Spans of a program and of its signal handler, which comes at any instruction of theirs.
 *
 *     signals_in_spans record THREADS   threads that come and go, and a handler of SIGALRM; all intern and tag
 *     signals_in_spans jump             the handler leaves by siglongjmp, 40 times; then 5000 spans named "after"
 *
 * Prints how many spans the program and the handler have finished; how many came after how many jumps. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <xsp.h>

enum { kRounds = 10, kSpans = 400, kJumps = 40, kAfter = 5000 };

static atomic_long finished;
static atomic_long in_handler;
static sigjmp_buf before;
static volatile sig_atomic_t may_jump;
static volatile long jumps;

static void span(const char* name, const char* value) {
  const xsp_span span = xsp_start_span(xsp_intern(name), XSP_MODEL);
  xsp_tag_span(span, "value", value);
  xsp_finish_span(span);
}

static void record_in_handler(int signal) {
  (void)signal;
  char text[32];
  const long number = atomic_fetch_add(&in_handler, 1);
  /* New names and known ones; snprintf may not be called here. */
  memcpy(text, "handler ", 8);
  for (int i = 0; i < 4; ++i) text[8 + i] = (char)('a' + (number >> (3 * i)) % 8);
  text[12] = '\0';
  span("in the handler", text);
}

static void jump(int signal) {
  (void)signal;
  if (!may_jump) return;
  may_jump = 0;
  ++jumps;
  siglongjmp(before, 1);
}

static void set_timer(long microseconds) {
  const struct itimerval timer = {{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_REAL, &timer, NULL);
}

static void* record(void* seed) {
  char text[32];
  for (int i = 0; i < kSpans; ++i) {
    snprintf(text, sizeof text, "program %ld", ((long)seed * 31 + i) % 3000);
    span("in the program", text);
    atomic_fetch_add(&finished, 1);
  }
  return NULL;
}

static void record_in_threads(int count) {
  pthread_t threads[16];
  for (long round = 0; round < kRounds; ++round) {
    for (long i = 0; i < count; ++i) pthread_create(&threads[i], NULL, record, (void*)(round * count + i));
    record((void*)round);
    for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  }
}

int main(int argc, char** argv) {
  const int is_jump = argc > 1 && strcmp(argv[1], "jump") == 0;
  struct sigaction action = {.sa_flags = SA_RESTART};
  action.sa_handler = is_jump ? jump : record_in_handler;
  sigaction(SIGALRM, &action, NULL);
  span("first", "value");
  set_timer(is_jump ? 150 : 200);
  if (is_jump) {
    volatile xsp_span open = 0;
    while (jumps < kJumps) {
      if (sigsetjmp(before, 1) == 0) may_jump = 1;
      xsp_finish_span(open);
      while (may_jump) {
        open = xsp_start_span(xsp_intern("around"), XSP_MODEL);
        xsp_finish_span(open);
      }
    }
    set_timer(0);
    for (int i = 0; i < kAfter; ++i) {
      xsp_finish_span(xsp_start_span(xsp_intern("after"), XSP_MODEL));
      /* Slow enough for the sender. */
      const struct timespec pause = {0, 100000};
      if (i % 500 == 0) nanosleep(&pause, NULL);
    }
    printf("%d %ld\n", kAfter, jumps);
    return 0;
  }
  record_in_threads(argc > 2 ? atoi(argv[2]) : 2);
  set_timer(0);
  printf("%ld %ld\n", (long)finished, (long)in_handler);
  return 0;
}
