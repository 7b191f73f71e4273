/* Records, has all descriptors closed in the way of its argument, opens files, pipes and sockets of its own in their
 * place, records on, and looks whether anything came into them that is not its own. Prints how many spans it finished
 * before and how many foreign bytes it found.
 *
 *     closes_descriptors close_range | closefrom | close | dup2 | file | limit
 *
 * limit: no descriptor is left before the first span. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xsp.h>

enum { kBefore = 1000, kRounds = 20, kSpans = 1000, kFiles = 64, kLast = 300 };

static void record(int spans) {
  const xsp_name name = xsp_intern("spans");
  for (int i = 0; i < spans; ++i) xsp_finish_span(xsp_start_span(name, XSP_MODEL));
}

static void pause_ms(long milliseconds) {
  const struct timespec pause = {0, milliseconds * 1000000};
  nanosleep(&pause, NULL);
}

static int unread_bytes(int file) {
  char bytes[4096];
  struct pollfd waits = {file, POLLIN, 0};
  return poll(&waits, 1, 0) > 0 && (waits.revents & POLLIN) != 0 ? (int)read(file, bytes, sizeof bytes) : 0;
}

static void close_all(const char* how, const char* path) {
  if (strcmp(how, "close_range") == 0) close_range(3, ~0U, 0);
  if (strcmp(how, "closefrom") == 0) closefrom(3);
  for (int file = 3; file < kLast; ++file) {
    if (strcmp(how, "close") == 0) close(file);
    if (strcmp(how, "dup2") == 0) dup2(STDERR_FILENO, file);
    if (strcmp(how, "file") == 0) {
      const int own = open(path, O_WRONLY | O_APPEND);
      if (own >= 0 && own != file) {
        dup2(own, file);
        close(own);
      }
    }
  }
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  char path[] = "own-file-XXXXXX";
  const int own = mkstemp(path);
  if (own < 0) return 3;
  if (strcmp(argv[1], "limit") == 0) {
    const struct rlimit none = {(rlim_t)own + 1, (rlim_t)own + 1};
    setrlimit(RLIMIT_NOFILE, &none);
    record(kBefore);
    pause_ms(50);
    record(kBefore);
    unlink(path);
    puts("0 before, 0 foreign");
    return 6;
  }
  record(kBefore);
  pause_ms(100);
  close_all(argv[1], path);
  int pipes[kFiles][2];
  int pairs[kFiles][2];
  int opened = 0;
  if (strcmp(argv[1], "dup2") != 0 && strcmp(argv[1], "file") != 0) {
    for (; opened < kFiles; ++opened) {
      if (open(path, O_WRONLY | O_APPEND) < 0 || pipe(pipes[opened]) != 0) return 4;
      if (socketpair(AF_UNIX, opened % 2 == 0 ? SOCK_STREAM : SOCK_DGRAM, 0, pairs[opened]) != 0) return 4;
    }
  }
  for (int i = 0; i < kRounds; ++i) {
    record(kSpans);
    pause_ms(10);
  }
  long foreign = 0;
  for (int i = 0; i < opened; ++i) {
    foreign += unread_bytes(pipes[i][0]) + unread_bytes(pairs[i][0]) + unread_bytes(pairs[i][1]);
  }
  struct stat status;
  if (stat(path, &status) != 0) return 5;
  unlink(path);
  printf("%d before, %ld foreign\n", kBefore, foreign + (long)status.st_size);
  return 6;
}
