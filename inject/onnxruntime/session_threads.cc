#include "inject/onnxruntime/session_threads.h"

#include "inject/concurrency/thread_settings.h"
#include "inject/concurrency/told_counts.h"
#include "inject/onnxruntime/pointer_set.h"

namespace xsp::guest {
namespace {

constinit PointerSet<256> sharing_options{};

}  // namespace

bool wants_session_threads(const void* options) {
  const SessionThreads threads = session_threads();
  return (threads.intra != 0 || threads.inter != 0) && !uses_shared_threads(options);
}

bool set_session_threads(const ort::Api& api, void* options) {
  const SessionThreads threads = session_threads();
  bool is_set = true;
  if (threads.intra != 0) is_set = ort::succeeded(api, api.SetIntraOpNumThreads(options, threads.intra));
  if (threads.inter != 0) is_set = ort::succeeded(api, api.SetInterOpNumThreads(options, threads.inter)) && is_set;
  if (threads.inter > 1) is_set = ort::succeeded(api, api.SetSessionExecutionMode(options, ort::kParallel)) && is_set;
  return is_set;
}

void tell_session_threads() {
  const SessionThreads threads = session_threads();
  tell_session(threads.intra, threads.inter);
}

void users_shared_threads(const void* options, bool on) {
  if (on) {
    sharing_options.add(options);
  } else {
    sharing_options.remove(options);
  }
}

bool uses_shared_threads(const void* options) { return sharing_options.contains(options); }

}  // namespace xsp::guest
