#include "bound/backends/cublas_api.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace xsp::bound::cublas {
namespace {

constexpr std::pair<Status, std::string_view> kStatusNames[] = {
    {1, "NOT_INITIALIZED"}, {3, "ALLOC_FAILED"},   {7, "INVALID_VALUE"},
    {8, "ARCH_MISMATCH"},   {11, "MAPPING_ERROR"}, {13, "EXECUTION_FAILED"},
    {14, "INTERNAL_ERROR"}, {15, "NOT_SUPPORTED"}, {16, "LICENSE_ERROR"},
};

using Property = Status (*)(int which, int* value);

std::string version_of(Property property) {
  int numbers[3] = {};
  constexpr int kProperties[] = {kMajorVersion, kMinorVersion, kPatchLevel};
  for (size_t i = 0; i < std::size(numbers); ++i) {
    if (property(kProperties[i], &numbers[i]) != kSuccess) return "unknown";
  }
  return fmt::format("{}.{}.{}", numbers[0], numbers[1], numbers[2]);
}

xsp::Status no_function(const SharedLibrary& file, const char* name) {
  return {file.path() + " has no " + name + ": the library is too old", ""};
}

template <typename Function>
bool take(const SharedLibrary& file, const char* name, Function* function) {
  *function = file.function<Function>(name);
  return *function != nullptr;
}

}  // namespace

#define XSP_TAKE(member, symbol, parameters) \
  if (!take(library->file_, #symbol, &library->member)) return no_function(library->file_, #symbol);

xsp::Status Cublas::open(const std::string& path, Cublas* library) {
  if (xsp::Status status = SharedLibrary::open(path, false, &library->file_); !status.ok()) return status;
  XSP_CUBLAS_FUNCTIONS(XSP_TAKE)
  library->version_ = version_of(library->property);
  return {};
}

xsp::Status CublasLt::open(const std::string& path, CublasLt* library) {
  if (xsp::Status status = SharedLibrary::open(path, false, &library->file_); !status.ok()) return status;
  XSP_CUBLASLT_FUNCTIONS(XSP_TAKE)
  library->version_ = version_of(library->property);
  return {};
}
#undef XSP_TAKE

xsp::Status status_of(Status status, std::string_view function) {
  if (status == kSuccess) return {};
  if (status == kAllocationFailed) return {"not enough memory on the device", ""};
  const auto* const found = std::ranges::find(kStatusNames, status, &std::pair<Status, std::string_view>::first);
  if (found == std::end(kStatusNames)) return {fmt::format("{}: status {}", function, status), ""};
  return {fmt::format("{}: CUBLAS_STATUS_{}", function, found->second), ""};
}

}  // namespace xsp::bound::cublas
