#include "inject/mxnet/operator_spans.h"

#include "inject/record/hook_timer.h"
#include "inject/record/process.h"
#include "inject/record/span.h"

namespace xsp::guest {
namespace {

constexpr auto kKindOperator = static_cast<uint8_t>(wire::Kind::kOperator);

}  // namespace

Thread* mxnet_thread() { return awake_process() != nullptr ? recording_thread() : nullptr; }

void OperatorSpan::open(MxnetCall call, uint32_t name, uint32_t type) {
  Thread* thread = type == 0 ? nullptr : mxnet_thread();
  if (thread == nullptr) return;
  const HookTimer timer(thread);
  scope_ = scope_of_mxnet_call(call);
  const uint8_t level = scope_ != 0 ? kLevelLayer : kLevelApplication;
  slot_ = open_span(*thread, level, kKindOperator, name != 0 ? name : type, type, 0);
}

uint64_t OperatorSpan::close(uint32_t shape, uint64_t output_bytes) {
  const uint32_t slot = slot_;
  slot_ = kNoSlot;
  if (slot == kNoSlot) return 0;
  const uint64_t end = now();
  Thread* thread = ending_thread();
  if (thread == nullptr || thread->depth() <= slot) return end;
  const HookTimer timer(thread, end);
  SpanResult result;
  result.scope = scope_;
  result.shape = shape;
  result.bytes = output_bytes;
  result.has_bytes = output_bytes != 0;
  close_span(*thread, slot, end, 0, result);
  return end;
}

}  // namespace xsp::guest
