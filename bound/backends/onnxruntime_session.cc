#include "bound/backends/onnxruntime_session.h"

#include "bound/backends/tensor_bytes.h"

namespace xsp::bound {

void OrtInput::set_values(const std::vector<float>& values) {
  bytes = static_cast<size_t>(bytes_of(element)) * values.size();
  memory = std::make_shared<std::vector<uint64_t>>(bytes / sizeof(uint64_t) + 1);
  write_elements(values, element, memory->data());
}

Status OrtSession::make(const OrtApi& api, const Plan& plan, std::unique_ptr<OrtSession>* session) {
  void* options = nullptr;
  if (Status status = api.take(api.CreateSessionOptions(&options)); !status.ok()) return status;
  std::unique_ptr<OrtSession> made(new OrtSession(api));
  Status status = made->load(plan, options);
  api.ReleaseSessionOptions(options);
  if (status.ok()) *session = std::move(made);
  return status;
}

OrtSession::~OrtSession() {
  for (const std::vector<void*>& values : {inputs_, outputs_}) {
    for (void* const value : values) {
      if (value != nullptr) api_.ReleaseValue(value);
    }
  }
  if (session_ != nullptr) api_.ReleaseSession(session_);
}

Status OrtSession::load(const Plan& plan, void* options) {
  for (void* const failed : {api_.SetSessionLogSeverityLevel(options, kOrtSeverityFatal),
                             api_.SetSessionGraphOptimizationLevel(options, kOrtAllOptimizations),
                             api_.SetIntraOpNumThreads(options, plan.threads), api_.SetInterOpNumThreads(options, 1)}) {
    if (Status status = api_.take(failed); !status.ok()) return status;
  }
  if (!plan.profile_prefix.empty()) {
    Status status = api_.take(api_.EnableProfiling(options, plan.profile_prefix.c_str()));
    if (!status.ok()) return status;
  }
  Status status = api_.take(
      api_.CreateSessionFromArray(api_.environment(), plan.model.data(), plan.model.size(), options, &session_));
  for (const OrtInput& input : plan.inputs) {
    if (status.ok()) status = add_input(input);
    names_.push_back(input.name);
  }
  names_.insert(names_.end(), plan.outputs.begin(), plan.outputs.end());
  for (size_t i = 0; i < names_.size(); ++i) {
    (i < plan.inputs.size() ? input_names_ : output_names_).push_back(names_[i].c_str());
  }
  outputs_.assign(plan.outputs.size(), nullptr);
  return status;
}

Status OrtSession::add_input(const OrtInput& input) {
  memory_.push_back(input.memory);
  // The numbers of element types are those of ONNX.
  return api_.take(api_.CreateTensorWithDataAsOrtValue(api_.memory_info(), input.memory->data(), input.bytes,
                                                       input.dimensions.data(), input.dimensions.size(),
                                                       static_cast<int>(input.element), &inputs_.emplace_back()));
}

Status OrtSession::run() {
  return api_.take(api_.Run(session_, nullptr, input_names_.data(), inputs_.data(), inputs_.size(),
                            output_names_.data(), outputs_.size(), outputs_.data()));
}

std::vector<float> OrtSession::first_output() const {
  void* const value = outputs_.empty() ? nullptr : outputs_.front();
  int is_tensor = 0;
  if (value == nullptr || !api_.take(api_.IsTensor(value, &is_tensor)).ok() || is_tensor == 0) return {};
  void* info = nullptr;
  if (!api_.take(api_.GetTensorTypeAndShape(value, &info)).ok()) return {};
  int type = 0;
  size_t elements = 0;
  const bool is_described = api_.take(api_.GetTensorElementType(info, &type)).ok() &&
                            api_.take(api_.GetTensorShapeElementCount(info, &elements)).ok();
  api_.ReleaseTensorTypeAndShapeInfo(info);
  const auto element = static_cast<ElementType>(type);
  void* data = nullptr;
  if (!is_described || !has_plain_bytes(element) || !api_.take(api_.GetTensorMutableData(value, &data)).ok()) return {};
  return read_elements(data, elements, element);
}

Status OrtSession::end_profile(std::string* path) {
  char* text = nullptr;
  if (Status status = api_.take(api_.SessionEndProfiling(session_, api_.allocator(), &text)); !status.ok()) {
    return status;
  }
  *path = text;
  return api_.take(api_.AllocatorFree(api_.allocator(), text));
}

}  // namespace xsp::bound
