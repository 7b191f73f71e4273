#include "failure.h"

#include <fmt/format.h>

#include <cstdio>

namespace xsp::launch {

int report_failure(const Failure& failure, const std::string& program) {
  std::string text = fmt::format("{}: error: {}\n", program, failure.what);
  if (!failure.hint.empty()) text += fmt::format("hint: {}\n", failure.hint);
  std::fputs(text.c_str(), stderr);
  return failure.exit_code;
}

}  // namespace xsp::launch
