#include "base/uncaught_exception.h"

#include <cxxabi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

namespace xsp {
namespace {

constexpr size_t kMostBytesOfMessage = 1024;

void tell_end(const char* program, const char* why, const char* hint) {
  char text[kMostBytesOfMessage];
  const int size = std::snprintf(text, sizeof text, "%s: error: %s\n%s", program, why, hint);
  if (size < 0) return;
  [[maybe_unused]] const ssize_t told =
      ::write(STDERR_FILENO, text, std::min(static_cast<size_t>(size), sizeof text - 1));
}

void tell_internal_error(const char* program, const char* what) {
  char why[kMostBytesOfMessage / 2];
  std::snprintf(why, sizeof why, "internal error (%.400s)", what);
  tell_end(program, why, "hint: please report it, with the command\n");
}

}  // namespace

void end_by_uncaught_exception(const char* program, const char* out_of_memory, int exit_code) {
  if (abi::__cxa_current_exception_type() == nullptr) {
    tell_end(program, out_of_memory, "");
    ::_exit(exit_code);
  }
  try {
    throw;
  } catch (const std::bad_alloc&) {
    tell_end(program, out_of_memory, "");
  } catch (const std::exception& exception) {
    tell_internal_error(program, exception.what());
  } catch (...) {
    tell_internal_error(program, "an unknown exception");
  }
  ::_exit(exit_code);
}

}  // namespace xsp
