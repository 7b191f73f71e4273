/* Threads that finish spans and count them in a file that outlives the program, whatever ends it.
 *
 *     counted_spans FILE THREADS PER_SECOND COUNT [END]
 *
 * PER_SECOND: spans a second and thread; 0: without pause. COUNT: spans a thread; 0: for ever. FILE: 64 bytes for the
 * process id, then 64 for each thread, of which the first eight count spans that xsp_finish_span has returned from and
 * the next eight hold its thread id. END: how the process ends, with exit status 3, while its threads still record:
 * exit, quick_exit, _exit, abort, return, or signal (SIGTERM). */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <xsp.h>

enum { kLine = 64 };
struct Line {
  volatile uint64_t finished;
  uint64_t thread;
  char rest[kLine - 16];
};

static struct Line* lines;
static uint64_t per_second;
static uint64_t count;
static xsp_name name;

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void* record(void* argument) {
  struct Line* line = argument;
  line->thread = (uint64_t)syscall(SYS_gettid);
  const double begin = seconds();
  for (uint64_t done = 0; count == 0 || done < count; ++done) {
    /* Ahead of its rate: waits. The clock is asked for every sixteenth span. */
    while (per_second != 0 && done % 16 == 0 && (double)done > (seconds() - begin) * (double)per_second) {
      const struct timespec pause = {0, 200000};
      nanosleep(&pause, NULL);
    }
    xsp_finish_span(xsp_start_span(name, XSP_MODEL));
    line->finished = done + 1;
  }
  return NULL;
}

static int end_by(const char* how) {
  const struct timespec pause = {0, 150000000};
  nanosleep(&pause, NULL);
  puts("done");
  fflush(stdout);
  if (strcmp(how, "exit") == 0) exit(3);
  if (strcmp(how, "quick_exit") == 0) quick_exit(3);
  if (strcmp(how, "_exit") == 0) _exit(3);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "signal") == 0) raise(SIGTERM);
  return 3;
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const int threads = atoi(argv[2]);
  per_second = strtoull(argv[3], NULL, 10);
  count = strtoull(argv[4], NULL, 10);
  const size_t bytes = (size_t)(threads + 1) * kLine;
  const int file = open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, (off_t)bytes) != 0) return 3;
  lines = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (lines == MAP_FAILED) return 3;
  name = xsp_intern("counted");
  lines[0].thread = (uint64_t)getpid();
  pthread_t ids[256];
  for (int i = 0; i < threads; ++i) {
    if (pthread_create(&ids[i], NULL, record, &lines[i + 1]) != 0) return 4;
  }
  if (argc > 5) return end_by(argv[5]);
  for (int i = 0; i < threads; ++i) pthread_join(ids[i], NULL);
  puts("done");
  return 0;
}
