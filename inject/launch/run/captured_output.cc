#include "inject/launch/run/captured_output.h"

#include <unistd.h>

#include <cerrno>

#include "base/child_process.h"
#include "base/owned_fd.h"

namespace xsp::launch {

std::optional<std::string> captured_output(const std::vector<std::string>& command, bool silent) {
  constexpr size_t kMaxBytes = 64 << 20;
  OwnedFd reader;
  OwnedFd writer;
  if (!open_pipe(&reader, &writer)) return std::nullopt;
  const pid_t pid = start_child({.command = command,
                                 .input = kNoStream,
                                 .output = writer.get(),
                                 .errors = silent ? kNoStream : kSameStream,
                                 .unset = {"LD_PRELOAD"}});
  if (pid < 0) return std::nullopt;
  writer.reset();
  std::string text;
  char bytes[16384];
  for (;;) {
    const ssize_t size = read(reader.get(), bytes, sizeof(bytes));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    // Read on in any case: a program that finds its pipe full would never end.
    if (text.size() < kMaxBytes) text.append(bytes, static_cast<size_t>(size));
  }
  if (!wait_for_child(pid).succeeded()) return std::nullopt;
  return text;
}

}  // namespace xsp::launch
