/// Entry for ONNX models. What was read can be written, and reads as the same again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bound/onnx/model_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xsp::bound;
  Model model;
  const xsp::Status status = parse_model(std::string_view(reinterpret_cast<const char*>(data), size), &model);
  if (!status.ok()) {
    if (status.exit_code != 3 || status.hint.empty()) std::abort();
    return 0;
  }
  const std::string written = write_model(model);
  Model again;
  if (!parse_model(written, &again).ok() || write_model(again) != written) std::abort();
  return 0;
}
