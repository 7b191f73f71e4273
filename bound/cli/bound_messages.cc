#include "bound/cli/bound_messages.h"

#include <cstdio>

#include "base/log.h"
#include "base/text_encoding.h"

namespace xsp::bound {

int complain(const Status& status, analysis::ExitCode otherwise) {
  log::error(status.error);
  std::fprintf(stderr, "xsp-bound: error: %s\n", terminal_text(status.error).c_str());
  if (!status.hint.empty()) std::fprintf(stderr, "hint: %s\n", terminal_text(status.hint).c_str());
  return status.exit_code != 0 ? status.exit_code : otherwise;
}

Status with_hint(Status status, const char* hint) {
  if (!status.ok() && status.hint.empty()) status.hint = hint;
  return status;
}

void tell_note(std::string_view text) {
  log::info(text);
  std::fprintf(stderr, "xsp-bound: note: %s\n", terminal_text(text).c_str());
}

void tell_written(const std::string& path, uint64_t bytes) {
  log::info("wrote " + path + ", " + std::to_string(bytes) + " bytes");
  const auto size = static_cast<double>(bytes);
  const bool large = size >= 1e6;
  std::fprintf(stderr, "xsp-bound: wrote %s (%.1f %s)\n", terminal_text(path).c_str(), size / (large ? 1e6 : 1e3),
               large ? "MB" : "kB");
}

}  // namespace xsp::bound
