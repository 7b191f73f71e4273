#include "analysis/tables/kernel_names.h"

#include <csetjmp>

/// Of libsupc++: abi::__cxa_demangle without a buffer of its own, so that the output can be stopped. 0: done.
extern "C" int __gcclibcxx_demangle_callback(const char* mangled, void (*append)(const char*, size_t, void*), void* to);

namespace xsp::analysis {
namespace {

constexpr size_t kLongest = 16 << 10;

struct Output {
  std::string text;
  std::jmp_buf too_long;
};

/// Leaves the demangler at the limit: back references let its output, and its time, double with every few bytes of a
/// name. It holds nothing that had to be released: what it needs lies on the stack.
void append(const char* text, size_t size, void* to) {
  auto* output = static_cast<Output*>(to);
  if (size > kLongest - output->text.size()) std::longjmp(output->too_long, 1);  // NOLINT(cert-err52-cpp)
  output->text.append(text, size);
}

}  // namespace

std::string demangled(std::string_view name) {
  std::string mangled(name);
  if (!name.starts_with("_Z") || name.find('\0') != std::string_view::npos) return mangled;
  Output output;
  output.text.reserve(kLongest);
  if (setjmp(output.too_long) != 0) return mangled;  // NOLINT(cert-err52-cpp)
  return __gcclibcxx_demangle_callback(mangled.c_str(), append, &output) == 0 ? output.text : mangled;
}

const std::string& KernelNames::text(uint32_t id) {
  const auto [found, added] = names_.try_emplace(id);
  if (added) found->second = demangled(trace_.text(id));
  return found->second;
}

}  // namespace xsp::analysis
