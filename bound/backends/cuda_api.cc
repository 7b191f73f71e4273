#include "bound/backends/cuda_api.h"

namespace xsp::bound::cuda {
namespace {

constexpr const char* kDriver = "libcuda.so.1";

}  // namespace

Status CudaApi::open(CudaApi* api, bool* is_missing) {
  *is_missing = false;
  if (Status status = SharedLibrary::open(kDriver, false, &api->file_); !status.ok()) {
    *is_missing = status.error.starts_with(std::string(kDriver) + ": cannot open shared object file");
    return *is_missing ? Status{"there is no CUDA driver (libcuda.so.1)", ""} : status;
  }
  const auto take = [&]<typename Function>(const char* name, Function* function) {
    *function = api->file_.function<Function>(name);
    return *function != nullptr;
  };
#define XSP_TAKE(member, symbol, parameters) \
  if (!take(#symbol, &api->member)) return {api->path() + " has no " #symbol ": the driver is too old", ""};
  XSP_CUDA_FUNCTIONS(XSP_TAKE)
#undef XSP_TAKE
  return {};
}

Status CudaApi::status_of(Result result, std::string_view function) const {
  if (result == kSuccess) return {};
  // A benchmark that lacks memory is tried again in another run: its error begins with these words.
  if (result == kOutOfMemory) return {"not enough memory on the device", ""};
  const char* name = nullptr;
  const char* text = nullptr;
  if (error_name == nullptr || error_name(result, &name) != kSuccess) name = nullptr;
  if (error_string == nullptr || error_string(result, &text) != kSuccess) text = nullptr;
  return {std::string(function) + ": " + (text == nullptr ? "error" : text) + " (" +
              (name == nullptr ? std::to_string(result) : name) + ")",
          ""};
}

}  // namespace xsp::bound::cuda
