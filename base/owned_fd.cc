#include "base/owned_fd.h"

#include <fcntl.h>

namespace xsp {

OwnedFd above_standard_streams(OwnedFd file) {
  if (!file || file.get() > STDERR_FILENO) return file;
  return OwnedFd(fcntl(file.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

bool open_pipe(OwnedFd* reader, OwnedFd* writer) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  // Both ends have an owner before one of them moves: the second must not take the number that the first leaves.
  reader->reset(ends[0]);
  writer->reset(ends[1]);
  *reader = above_standard_streams(std::move(*reader));
  *writer = above_standard_streams(std::move(*writer));
  return *reader && *writer;
}

}  // namespace xsp
