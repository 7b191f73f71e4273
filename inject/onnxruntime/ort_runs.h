#pragma once

#include "inject/onnxruntime/run_profile.h"
#include "inject/record/thread.h"

namespace xsp::guest {

/// One call of Run or RunWithBinding: a model span around it, and its part in a profile.
class OrtRun {
 public:
  OrtRun(const void* session, const void* run_options, const void* const* inputs, size_t count);
  const void* run_options() const { return profile_.options(); }
  void end(ort::Status status);

 private:
  const void* address_;
  OrtSession* session_;
  OrtRunProfile profile_;
  uint64_t begin_ns_ = 0;
  uint64_t span_ = 0;
};

/// One call of RunAsync. Its span lasts from the call to the callback, and is recorded by the callback's thread.
struct AsyncCall {
  const void* const* inputs;
  size_t input_count;
  ort::RunCallback callback;
  void* user_data;
};
class OrtAsyncRun {
 public:
  /// Null if nothing is recorded of the run.
  static OrtAsyncRun* begin(const void* session, const void* run_options, const AsyncCall& call);

  const void* run_options() const { return profile_.options(); }
  /// Takes the place of the program's callback, with this object as its data.
  static void callback(void* run, void** outputs, size_t count, ort::Status status);
  /// The call failed: there will be no callback.
  void failed();

 private:
  void record(bool failed);

  const void* address_ = nullptr;
  OrtSession* session_ = nullptr;
  ort::RunCallback callback_ = nullptr;
  void* user_data_ = nullptr;
  uint64_t begin_ = 0;
  uint64_t begin_ns_ = 0;
  OrtRunProfile profile_;
  uint32_t input_ = 0;
  std::atomic<bool> used_;
  AsyncModelCall call_{};
};

}  // namespace xsp::guest
