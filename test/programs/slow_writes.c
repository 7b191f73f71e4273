/* To be preloaded: each write to a file on a disk takes SLOW_WRITE_MS. */
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

ssize_t write(int file, const void* bytes, size_t length) {
  struct stat status;
  const char* milliseconds = getenv("SLOW_WRITE_MS");
  if (milliseconds != NULL && fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    const long wait = atol(milliseconds);
    const struct timespec pause = {wait / 1000, wait % 1000 * 1000000};
    nanosleep(&pause, NULL);
  }
  return syscall(SYS_write, file, bytes, length);
}
