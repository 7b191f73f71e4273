#include "inject/launch/options/exit_codes.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/text_encoding.h"

namespace xsp::launch {

int exit_code_of(const Status& failure) { return failure.exit_code != 0 ? failure.exit_code : kExitOwnFailure; }

int report_failure(const Status& failure, const std::string& program) {
  std::string text = fmt::format("{}: error: {}\n", program, terminal_text(failure.error));
  if (!failure.hint.empty()) text += fmt::format("hint: {}\n", terminal_text(failure.hint));
  std::fputs(text.c_str(), stderr);
  return exit_code_of(failure);
}

int report_out_of_memory() {
  std::fputs("xsp-run: error: out of memory\n", stderr);
  return kExitOwnFailure;
}

}  // namespace xsp::launch
