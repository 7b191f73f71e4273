/* To be preloaded: a disk with faults. Of writes to files,
 *
 *     DISK_WRITE_MS  is how long each takes
 *     DISK_BYTES     is how large a file can get; what is beyond fails with
 *     DISK_ERRNO     this error number */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long setting(const char* name) {
  const char* value = getenv(name);
  return value == NULL ? 0 : atol(value);
}

ssize_t write(int file, const void* bytes, size_t length) {
  struct stat status;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    const long wait = setting("DISK_WRITE_MS");
    const struct timespec pause = {wait / 1000, wait % 1000 * 1000000};
    if (wait != 0) nanosleep(&pause, NULL);
    const long most = setting("DISK_BYTES");
    const long at = lseek(file, 0, SEEK_CUR);
    if (most != 0 && at >= most) {
      errno = (int)setting("DISK_ERRNO");
      return -1;
    }
    if (most != 0 && (long)length > most - at) length = (size_t)(most - at);
  }
  return syscall(SYS_write, file, bytes, length);
}
