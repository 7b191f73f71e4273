#include "inject/onnxruntime/made_sessions.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inject/guard/cancel_guard.h"
#include "inject/guard/errno_guard.h"
#include "inject/onnxruntime/pointer_set.h"
#include "inject/onnxruntime/run_profile.h"
#include "inject/onnxruntime/session_profile.h"
#include "inject/onnxruntime/session_threads.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

constexpr std::string_view kType = "InferenceSession";

constinit PointerSet<256> profiled_options{};

/// The name of the model's file, else of its graph, else the type.
uint32_t name_of(const ort::Api& api, const void* session, const char* model_path) {
  if (model_path != nullptr && model_path[0] != '\0') {
    const char* slash = strrchr(model_path, '/');
    return intern(slash == nullptr ? model_path : slash + 1);
  }
  uint32_t name = 0;
  void* allocator = nullptr;
  void* metadata = nullptr;
  char* text = nullptr;
  if (api.SessionGetModelMetadata != nullptr && ort::succeeded(api, api.GetAllocatorWithDefaultOptions(&allocator)) &&
      ort::succeeded(api, api.SessionGetModelMetadata(session, &metadata))) {
    if (ort::succeeded(api, api.ModelMetadataGetGraphName(metadata, allocator, &text)) && text != nullptr) {
      name = intern(text);
      ort::succeeded(api, api.AllocatorFree(allocator, text));
    }
    api.ReleaseModelMetadata(metadata);
  }
  return name != 0 ? name : intern(kType);
}

/// Registered after the guest's own exit handler, which says goodbye, and therefore run before it.
void end_profiles_at_exit() {
  static constinit std::atomic<bool> registered{false};
  if (!registered.exchange(true)) atexit(end_ort_profiles);
}

}  // namespace

OrtMaking::OrtMaking(const ort::Api& api, const char* model_path, const void* options)
    : api_(api), model_path_(model_path), options_(options) {
  const ErrnoGuard errno_guard;
  const CancelGuard cancel_guard;
  const Process* process = wake_process();
  // No profile for a model that does not exist: its session fails, and ONNX Runtime would print that it could not write
  // the profile.
  const bool may_load = model_path == nullptr || access(model_path, R_OK) == 0;
  if (process == nullptr || !may_load) return;
  if (wants_session_threads(options) && copy_options()) has_threads_ = set_session_threads(api, own_options_);
  session_ = add_ort_session();
  if (session_ == nullptr || process->settings.deepest_level < kLevelLayer) return;
  layers_ = choose_layers(process->settings);
  if (layers_ != OrtLayers::kSessionProfile) return;
  end_profiles_at_exit();
  const auto prefix = ort_profile_prefix(process->settings, process->pid, session_->number);
  if (copy_options() && ort::succeeded(api, api.EnableProfiling(own_options_, prefix.c_str()))) return;
  layers_ = OrtLayers::kNone;
}

/// The program's options are never changed: it may use them for other sessions, on other threads.
bool OrtMaking::copy_options() {
  if (own_options_ != nullptr) return true;
  const bool copied = ort::succeeded(api_, options_ == nullptr ? api_.CreateSessionOptions(&own_options_)
                                                               : api_.CloneSessionOptions(options_, &own_options_));
  if (!copied) own_options_ = nullptr;
  return copied;
}

OrtMaking::~OrtMaking() {
  const ErrnoGuard errno_guard;
  if (own_options_ != nullptr) api_.ReleaseSessionOptions(own_options_);
  if (session_ != nullptr) remove_ort_session(*session_);
}

OrtLayers OrtMaking::choose_layers(const Settings& settings) const {
  if (api_.SessionGetProfilingStartTimeNs == nullptr) return OrtLayers::kNone;
  if (is_users_session_profile(options_)) return OrtLayers::kUsersProfile;
  if (settings.scratch_dir[0] == '\0') return OrtLayers::kNone;  // a file that nobody fetches would stay forever
  return user_profiles_runs() ? OrtLayers::kRunProfiles : OrtLayers::kSessionProfile;
}

void OrtMaking::made(const void* address) {
  if (has_threads_ && address != nullptr) tell_session_threads();
  if (session_ == nullptr || address == nullptr) return;
  const ErrnoGuard errno_guard;
  const CancelGuard cancel_guard;
  const Process* process = awake_process();
  if (process == nullptr) return;
  if (layers_ == OrtLayers::kUsersProfile) end_profiles_at_exit();
  OrtSession& session = *session_;
  session.api = &api_;
  session.name = name_of(api_, address, model_path_);
  session.type = intern(kType);
  session.scope = intern(ort_scope(session.number).view());
  session.process = process->pid;
  // All of it before the address is published: from then on runs find the session.
  session.layers.store(layers_, std::memory_order_release);
  publish_ort_session(session, address);
  session_ = nullptr;
  if (layers_ == OrtLayers::kSessionProfile) announce_session_profile(session, address);
}

void users_session_profile(const void* options, bool on) {
  if (on) {
    profiled_options.add(options);
  } else {
    profiled_options.remove(options);
  }
}

bool is_users_session_profile(const void* options) { return profiled_options.contains(options); }

}  // namespace xsp::guest
