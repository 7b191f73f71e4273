#include "inject/tensorflow/model_calls.h"

#include <string_view>

#include "inject/guard/errno_guard.h"
#include "inject/record/hook_timer.h"
#include "inject/record/process.h"
#include "inject/record/sampling.h"
#include "inject/record/shapes.h"
#include "inject/record/tracer.h"
#include "inject/tensorflow/kernel_slots.h"
#include "inject/tensorflow/open_calls.h"

namespace xsp::guest {
namespace {

constexpr auto kKindRun = static_cast<uint8_t>(wire::Kind::kRun);
constexpr std::string_view kSessionRun = "Session.run";

/// Adds a tensor of these sizes; false where there is no room for it.
template <typename SizeAt>
bool add_tensor(Shapes* shapes, int rank, SizeAt&& size_at) {
  if (rank < 0 || rank > Shapes::kMaxRank || shapes->tensors == Shapes::kMaxTensors) return false;
  shapes->sizes[shapes->used++] = rank;
  for (int i = 0; i < rank; ++i) shapes->sizes[shapes->used++] = size_at(i);
  ++shapes->tensors;
  return true;
}

uint32_t input_of_session(const TensorflowLibrary& library, const tf::Tensor* const* inputs, int count) {
  Shapes shapes;
  for (int i = 0; i < count && inputs != nullptr; ++i) {
    const tf::Tensor* tensor = inputs[i];
    if (tensor == nullptr) continue;
    if (!add_tensor(&shapes, library.tensor_rank(tensor), [&](int d) { return library.tensor_size(tensor, d); })) break;
  }
  return intern_shapes(shapes);
}

/// A function's inputs end with the variables it uses, as handles.
uint32_t input_of_function(const TensorflowLibrary& library, Thread& thread, const tf::Op* op) {
  const OwnStatus status(library, thread);
  Shapes shapes;
  const int count = library.op_input_count(op, status);
  for (int i = 0; i < count && status.is_ok(); ++i) {
    tf::TensorHandle* handle = library.op_input(op, i, status);
    if (!status.is_ok() || handle == nullptr || library.handle_type(handle) == tf::kResource) continue;
    const int rank = library.handle_rank(handle, status);
    if (!status.is_ok()) break;
    if (!add_tensor(&shapes, rank, [&](int d) { return library.handle_size(handle, d, status); })) break;
  }
  return status.is_ok() ? intern_shapes(shapes) : 0;
}

/// "predict_step" for "__inference_predict_step_1234"; empty for operations that are no functions. Gradients are called
/// "__backward_…" and are no calls of a model.
std::string_view function_name(const char* op) {
  std::string_view name = op == nullptr ? std::string_view() : op;
  for (const std::string_view prefix : {std::string_view("__inference_"), std::string_view("__forward_")}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    const size_t last = name.find_last_not_of("0123456789");
    if (last != std::string_view::npos && last != 0 && last + 1 != name.size() && name[last] == '_') {
      name.remove_suffix(name.size() - last);
    }
    return name;
  }
  return {};
}

}  // namespace

template <typename NameOf, typename InputOf>
void TensorflowCall::begin(NameOf&& name_of, InputOf&& input_of) {
  const ErrnoGuard errno_guard;
  Thread* thread = is_sampling.load(std::memory_order_relaxed) ? model_call_thread() : recording_thread();
  if (thread == nullptr) return;
  const HookTimer timer(thread);
  const std::string_view name = name_of(*thread);
  if (name.empty()) return;
  watch_kernels();
  scope_ = open_tensorflow_call(*thread, __builtin_frame_address(0));
  if (scope_ == 0) return;
  const Recorded recorded = begin_model_call(*thread);
  const uint32_t input = input_of(*thread);
  span_ = start_model_span(*thread, recorded, intern(name), kKindRun, intern("TensorFlow"), input);
}

TensorflowCall::TensorflowCall() {
  begin([](Thread&) { return kSessionRun; }, [](Thread&) { return 0U; });
  if (Thread* thread = scope_ == 0 ? nullptr : known_thread()) ask_for_inputs(*thread);
}

TensorflowCall::TensorflowCall(const TensorflowLibrary& library, const tf::Tensor* const* inputs, int count) {
  begin([](Thread&) { return kSessionRun; }, [&](Thread&) { return input_of_session(library, inputs, count); });
}

TensorflowCall::TensorflowCall(const TensorflowLibrary& library, const tf::Op* op) {
  const auto name_of = [&](Thread& thread) {
    const OwnStatus status(library, thread);
    const char* name = library.op_name(op, status);
    return status.is_ok() ? function_name(name) : std::string_view();
  };
  begin(name_of, [&](Thread& thread) { return input_of_function(library, thread, op); });
}

void TensorflowCall::end(bool failed) {
  if (scope_ == 0) return;
  const uint64_t end = now();
  Thread* thread = known_thread();
  const HookTimer timer(thread, end);
  SpanResult result;
  result.scope = scope_;
  result.failed = failed;
  if (span_ != 0) {
    if (const uint32_t input = thread == nullptr ? 0 : told_inputs(*thread)) set_span_input(*thread, span_, input);
    finish_span_at(span_, end, result);
  }
  if (thread != nullptr) close_tensorflow_call(*thread);
}

}  // namespace xsp::guest
