#include "analysis/timeline/kernel_names.h"

#include <sys/time.h>

#include <algorithm>
#include <csetjmp>
#include <csignal>

/// From libsupc++: abi::__cxa_demangle without a buffer of its own, so that output can be stopped. 0: done. Does not
/// handle names of more than 1,024 bytes.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" int __gcclibcxx_demangle_callback(const char* mangled, void (*append)(const char*, size_t, void*), void* to);

namespace xsp::analysis {
namespace {

constexpr size_t kLongest = 16 << 10;
constexpr size_t kLongestMangled = 1024;
constexpr suseconds_t kMaxMicroseconds = 50'000;

/// Back references can double the work; names with fewer than these take no time.
constexpr ptrdiff_t kHarmlessReferences = 30;

/// The demangler is left by a jump: it holds nothing that must be released, as all it needs is on the stack. The jump
/// comes from `append` at the limit of the output, or from the signal if it works without output, as for the pack in
/// "Dp".
sigjmp_buf leave_demangler;

void append(const char* text, size_t size, void* to) {
  auto* output = static_cast<std::string*>(to);
  if (size > kLongest - output->size()) siglongjmp(leave_demangler, 1);  // NOLINT(cert-err52-cpp)
  output->append(text, size);                                            // within what is reserved
}

void on_timer(int) { siglongjmp(leave_demangler, 1); }  // NOLINT(cert-err52-cpp)

void arm(suseconds_t microseconds) {
  itimerval time = {};
  time.it_value.tv_usec = microseconds;
  setitimer(ITIMER_VIRTUAL, &time, nullptr);
}

/// False when the demangler refused or was left. With `timed` after a time of the CPU; the timer must stand still
/// before this function is left, for the signal jumps into it.
bool demangle(const char* mangled, bool timed, std::string* output) {
  if (sigsetjmp(leave_demangler, 1) != 0) {  // NOLINT(cert-err52-cpp)
    if (timed) arm(0);
    return false;
  }
  if (timed) arm(kMaxMicroseconds);
  const bool done = __gcclibcxx_demangle_callback(mangled, append, output) == 0;
  if (timed) arm(0);
  return done;
}

/// Whether the work for a name can be much more than its length.
bool is_demanding(std::string_view name) {
  const auto references = std::count_if(name.begin(), name.end(), [](char c) { return c == 'S' || c == 'T'; });
  return references > kHarmlessReferences && name.size() <= kLongestMangled;
}

}  // namespace

std::string demangled(std::string_view name) {
  std::string mangled(name);
  if (!name.starts_with("_Z") || name.find('\0') != std::string_view::npos) return mangled;
  std::string output;
  output.reserve(kLongest);
  if (!is_demanding(name)) return demangle(mangled.c_str(), false, &output) ? output : mangled;
  struct sigaction before = {};
  struct sigaction action = {};
  action.sa_handler = on_timer;
  sigaction(SIGVTALRM, &action, &before);
  const bool done = demangle(mangled.c_str(), true, &output);
  sigaction(SIGVTALRM, &before, nullptr);
  return done ? output : mangled;
}

const std::string& KernelNames::text(uint32_t id) {
  constexpr int kMaxLeft = 20;
  const auto [found, added] = names_.try_emplace(id);
  if (!added) return found->second;
  const std::string_view name = trace_.text(id);
  const bool demanding = is_demanding(name);
  found->second = demanding && left_ > kMaxLeft ? std::string(name) : demangled(name);
  left_ += demanding && found->second == name ? 1 : 0;
  return found->second;
}

}  // namespace xsp::analysis
