#include "bound/backends/onnxruntime_api.h"

#include <algorithm>

#include "base/text_encoding.h"

namespace xsp::bound {
namespace {

struct OrtApiBase {
  void* const* (*get_api)(uint32_t version);
  const char* (*version_string)();
};

constexpr size_t kLongestMessage = 400;

}  // namespace

Status OrtApi::open(const std::string& path, OrtApi* api) {
  if (Status status = SharedLibrary::open(path, false, &api->file_); !status.ok()) return status;
  const auto get_base = api->file_.function<const OrtApiBase* (*)()>("OrtGetApiBase");
  const OrtApiBase* const base = get_base == nullptr ? nullptr : get_base();
  void* const* const slots = base == nullptr ? nullptr : base->get_api(kOrtApiVersion);
  if (slots == nullptr) return {path + ": has no C interface of ONNX Runtime that is known", ""};
  const char* const version = base->version_string();
  api->version_ = version == nullptr ? "" : version;
#define XSP_TAKE(name, slot, result, parameters) api->name = reinterpret_cast<result(*) parameters>(slots[slot]);
  XSP_ORT_FUNCTIONS(XSP_TAKE)
#undef XSP_TAKE
  if (Status status = api->take(api->CreateEnv(kOrtSeverityFatal, "xsp-bound", &api->environment_)); !status.ok()) {
    return status;
  }
  if (Status status = api->take(api->DisableTelemetryEvents(api->environment_)); !status.ok()) return status;
  if (Status status = api->take(api->GetAllocatorWithDefaultOptions(&api->allocator_)); !status.ok()) return status;
  return api->take(api->CreateCpuMemoryInfo(kOrtDeviceAllocator, kOrtDefaultMemory, &api->memory_info_));
}

Status OrtApi::take(void* status) const {
  if (status == nullptr) return {};
  std::string text = message_text(GetErrorMessage(status));
  ReleaseStatus(status);
  if (text.empty()) text = "ONNX Runtime failed and does not say why";
  if (text.size() > kLongestMessage) text = shorten(text, kLongestMessage);
  return {text, ""};
}

}  // namespace xsp::bound
