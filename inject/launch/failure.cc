#include "inject/launch/failure.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/text_encoding.h"

namespace xsp::launch {

int report_failure(const Failure& failure, const std::string& program) {
  std::string text = fmt::format("{}: error: {}\n", program, terminal_text(failure.what));
  if (!failure.hint.empty()) text += fmt::format("hint: {}\n", terminal_text(failure.hint));
  std::fputs(text.c_str(), stderr);
  return failure.exit_code;
}

int report_out_of_memory() {
  std::fputs("xsp-run: error: out of memory\n", stderr);
  return kExitOwnFailure;
}

}  // namespace xsp::launch
