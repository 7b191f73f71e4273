#include "inject/onnxruntime/ort_runs.h"

#include <time.h>

#include "inject/guard/cancel_guard.h"
#include "inject/guard/errno_guard.h"
#include "inject/onnxruntime/input_shapes.h"
#include "inject/onnxruntime/session_profile.h"
#include "inject/record/hook_timer.h"
#include "inject/record/span.h"
#include "inject/record/tracer.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {
namespace {

constexpr auto kKindOrtRun = static_cast<uint8_t>(wire::Kind::kOrtRun);

/// Asynchronous runs that are open at the same time; further runs are not recorded.
constexpr size_t kMaxAsyncRuns = 256;
constinit OrtAsyncRun async_runs[kMaxAsyncRuns]{};

/// If the program profiles this run itself, ends the session's own profile: ONNX Runtime refuses to have both.
void make_way_for_users_profile(OrtSession& session, const void* address, const void* run_options) {
  if (session.layers.load(std::memory_order_relaxed) != OrtLayers::kSessionProfile) return;
  if (is_users_run_profile(run_options)) end_session_profile(session, address, 0);
}

}  // namespace

OrtRun::OrtRun(const void* session, const void* run_options, const void* const* inputs, size_t count)
    : address_(session), session_(find_ort_session(session)) {
  const HookTimer timer(known_thread());
  if (session_ == nullptr) {
    profile_.pass(run_options);
    return;
  }
  make_way_for_users_profile(*session_, session, run_options);
  // Outside the recording window the run has no span, so its nodes would have no span around them either: no profile
  // then.
  Thread* thread = is_sampling.load(std::memory_order_relaxed) ? model_call_thread() : recording_thread();
  const bool records = thread != nullptr;
  const Recorded recorded = records ? begin_model_call(*thread) : Recorded::kCounted;
  if (is_full(recorded)) {
    profile_.begin(*session_, run_options);
  } else {
    profile_.pass(run_options);
  }
  const uint32_t input = records ? ort_input_shapes(*session_, inputs, count) : 0;
  session_->enter();
  if (session_->layers.load(std::memory_order_relaxed) != OrtLayers::kNone) begin_ns_ = nanoseconds(CLOCK_MONOTONIC);
  if (records) span_ = start_model_span(*thread, recorded, session_->name, kKindOrtRun, session_->type, input);
  profile_.span_began();
}

void OrtRun::end(ort::Status status) {
  if (session_ == nullptr) return;
  const uint64_t end = now();
  const HookTimer timer(known_thread(), end);
  SpanResult result;
  result.scope = session_->scope;
  result.failed = status != nullptr;
  if (span_ != 0) finish_span_at(span_, end, result);
  session_->leave();
  const bool was_profiled = profile_.end(*session_);
  if (begin_ns_ == 0) return;
  ort_run_took(*session_, address_, nanoseconds(CLOCK_MONOTONIC) - begin_ns_, was_profiled);
}

OrtAsyncRun* OrtAsyncRun::begin(const void* session, const void* run_options, const AsyncCall& call) {
  const HookTimer timer(known_thread());
  OrtSession* known = find_ort_session(session);
  if (known == nullptr || call.callback == nullptr) return nullptr;
  Thread* thread = is_sampling.load(std::memory_order_relaxed) ? model_call_thread() : recording_thread();
  if (thread == nullptr) return nullptr;
  for (OrtAsyncRun& run : async_runs) {
    if (run.used_.exchange(true, std::memory_order_acq_rel)) continue;
    make_way_for_users_profile(*known, session, run_options);
    run.address_ = session;
    run.session_ = known;
    run.callback_ = call.callback;
    run.user_data_ = call.user_data;
    run.profile_ = {};
    run.call_ = begin_async_model_call();
    if (is_full(run.call_.recorded)) {
      run.profile_.begin(*known, run_options);
    } else {
      run.profile_.pass(run_options);
    }
    run.input_ = ort_input_shapes(*known, call.inputs, call.input_count);
    known->enter();
    run.begin_ns_ = nanoseconds(CLOCK_MONOTONIC);
    run.begin_ = now();
    run.profile_.span_began();
    return &run;
  }
  return nullptr;
}

void OrtAsyncRun::record(bool failed) {
  const uint64_t end = now();
  const HookTimer timer(known_thread(), end);
  Thread* thread = ending_thread();
  if (thread != nullptr && is_window_open() && call_.recorded != Recorded::kCounted) {
    shm::Record span{};
    span.begin = begin_;
    span.end = end;
    span.name = session_->name;
    span.type = session_->type;
    span.input = input_;
    span.scope = session_->scope;
    span.level = kLevelModel;
    span.kind = kKindOrtRun;
    span.flags = static_cast<uint8_t>((failed ? shm::kFlagFailed : 0) |
                                      (call_.recorded == Recorded::kShallow ? shm::kFlagShallow : 0));
    record_span(*thread, span);
  }
  end_async_model_call(call_);
  session_->leave();
  const bool was_profiled = profile_.end(*session_);
  ort_run_took(*session_, address_, nanoseconds(CLOCK_MONOTONIC) - begin_ns_, was_profiled);
}

void OrtAsyncRun::callback(void* run, void** outputs, size_t count, ort::Status status) {
  auto& self = *static_cast<OrtAsyncRun*>(run);
  // Copied, as the place may be another run's as soon as it is free; and freed before the program's callback, which may
  // start runs.
  const ort::RunCallback callback = self.callback_;
  void* const user_data = self.user_data_;
  self.record(status != nullptr);
  self.used_.store(false, std::memory_order_release);
  callback(user_data, outputs, count, status);
}

void OrtAsyncRun::failed() {
  record(true);
  used_.store(false, std::memory_order_release);
}

}  // namespace xsp::guest
