#include "inject/onnxruntime/api_hooks.h"

#include "inject/onnxruntime/made_sessions.h"
#include "inject/onnxruntime/ort_runs.h"
#include "inject/onnxruntime/session_profile.h"
#include "inject/onnxruntime/session_threads.h"

namespace xsp::guest {

constinit ort::Api ort_apis[kMaxOrtTables]{};

namespace {

using ort::Status;

template <typename Create>
Status make_session(const ort::Api& api, const char* path, const void* options, void** session, Create&& create) {
  OrtMaking making(api, path, options);
  const Status status = create(making.options());
  if (status == nullptr && session != nullptr) making.made(*session);
  return status;
}

void release_session(const ort::Api& api, void* address) {
  // While the session still exists: ONNX Runtime must write its profile.
  if (OrtSession* session = find_ort_session(address)) {
    end_session_profile(*session, address, 0);
    remove_ort_session(*session);
  }
  api.ReleaseSession(address);
}

/// Answers a program that never asked for a profile as ONNX Runtime would, with an empty path; ours goes on.
Status no_profile(const ort::Api& api, void* allocator, char** path) {
  void* memory = nullptr;
  if (Status status = api.AllocatorAlloc(allocator, 1, &memory)) return status;
  *path = static_cast<char*>(memory);
  **path = '\0';
  return nullptr;
}

Status end_profiling(const ort::Api& api, void* address, void* allocator, char** path) {
  OrtSession* session = find_ort_session(address);
  const OrtLayers layers = session == nullptr ? OrtLayers::kNone : session->layers.load(std::memory_order_acquire);
  if (layers == OrtLayers::kSessionProfile && path != nullptr) return no_profile(api, allocator, path);
  const Status status = api.SessionEndProfiling(address, allocator, path);
  OrtLayers users = OrtLayers::kUsersProfile;
  if (status == nullptr && session != nullptr &&
      session->layers.compare_exchange_strong(users, OrtLayers::kNone, std::memory_order_acq_rel)) {
    hand_over_users_profile(*session, address, *path);
  }
  return status;
}

template <uint32_t kTable>
struct Hooks {
  static const ort::Api& api() { return ort_apis[kTable]; }

  static Status CreateSession(const void* env, const char* path, const void* options, void** session) {
    return make_session(api(), path, options, session,
                        [=](const void* chosen) { return api().CreateSession(env, path, chosen, session); });
  }

  static Status CreateSessionFromArray(const void* env, const void* data, size_t bytes, const void* options,
                                       void** session) {
    return make_session(api(), nullptr, options, session, [=](const void* chosen) {
      return api().CreateSessionFromArray(env, data, bytes, chosen, session);
    });
  }

  static Status CreateSessionWithPrepackedWeightsContainer(const void* env, const char* path, const void* options,
                                                           void* weights, void** session) {
    return make_session(api(), path, options, session, [=](const void* chosen) {
      return api().CreateSessionWithPrepackedWeightsContainer(env, path, chosen, weights, session);
    });
  }

  static Status CreateSessionFromArrayWithPrepackedWeightsContainer(const void* env, const void* data, size_t bytes,
                                                                    const void* options, void* weights,
                                                                    void** session) {
    return make_session(api(), nullptr, options, session, [=](const void* chosen) {
      return api().CreateSessionFromArrayWithPrepackedWeightsContainer(env, data, bytes, chosen, weights, session);
    });
  }

  static Status CreateSessionFromModel(const void* env, const void* model, const void* options, void** session) {
    return make_session(api(), nullptr, options, session,
                        [=](const void* chosen) { return api().CreateSessionFromModel(env, model, chosen, session); });
  }

  static Status Run(void* session, const void* run_options, const char* const* input_names, const void* const* inputs,
                    size_t input_count, const char* const* output_names, size_t output_count, void** outputs) {
    OrtRun run(session, run_options, inputs, inputs == nullptr ? 0 : input_count);
    const Status status =
        api().Run(session, run.run_options(), input_names, inputs, input_count, output_names, output_count, outputs);
    run.end(status);
    return status;
  }

  static Status RunWithBinding(void* session, const void* run_options, const void* binding) {
    OrtRun run(session, run_options, nullptr, 0);
    const Status status = api().RunWithBinding(session, run.run_options(), binding);
    run.end(status);
    return status;
  }

  static Status RunAsync(void* session, const void* run_options, const char* const* input_names,
                         const void* const* inputs, size_t input_count, const char* const* output_names,
                         size_t output_count, void** outputs, ort::RunCallback callback, void* user_data) {
    OrtAsyncRun* run =
        OrtAsyncRun::begin(session, run_options, {inputs, inputs == nullptr ? 0 : input_count, callback, user_data});
    if (run == nullptr) {
      return api().RunAsync(session, run_options, input_names, inputs, input_count, output_names, output_count, outputs,
                            callback, user_data);
    }
    const Status status = api().RunAsync(session, run->run_options(), input_names, inputs, input_count, output_names,
                                         output_count, outputs, &OrtAsyncRun::callback, run);
    // No callback will come: the run is recorded as failed here.
    if (status != nullptr) run->failed();
    return status;
  }

  static void ReleaseSession(void* session) { release_session(api(), session); }

  static Status SessionEndProfiling(void* session, void* allocator, char** path) {
    return end_profiling(api(), session, allocator, path);
  }

  static Status EnableProfiling(void* options, const char* prefix) {
    const Status status = api().EnableProfiling(options, prefix);
    if (status == nullptr) users_session_profile(options, true);
    return status;
  }

  static Status DisableProfiling(void* options) {
    const Status status = api().DisableProfiling(options);
    if (status == nullptr) users_session_profile(options, false);
    return status;
  }

  static Status CloneSessionOptions(const void* options, void** copy) {
    const Status status = api().CloneSessionOptions(options, copy);
    // A copy profiles, too, if its original does.
    if (status == nullptr && is_users_session_profile(options)) users_session_profile(*copy, true);
    if (status == nullptr && uses_shared_threads(options)) users_shared_threads(*copy, true);
    return status;
  }

  static Status DisablePerSessionThreads(void* options) {
    const Status status = api().DisablePerSessionThreads(options);
    if (status == nullptr) users_shared_threads(options, true);
    return status;
  }

  static void ReleaseSessionOptions(void* options) {
    // The address may be that of other options soon.
    users_session_profile(options, false);
    users_shared_threads(options, false);
    api().ReleaseSessionOptions(options);
  }

  static Status RunOptionsEnableProfiling(void* options, const char* prefix) {
    const Status status = api().RunOptionsEnableProfiling(options, prefix);
    if (status == nullptr) users_run_profile(options, true);
    return status;
  }

  static Status RunOptionsDisableProfiling(void* options) {
    const Status status = api().RunOptionsDisableProfiling(options);
    if (status == nullptr) users_run_profile(options, false);
    return status;
  }

  static void ReleaseRunOptions(void* options) {
    users_run_profile(options, false);
    api().ReleaseRunOptions(options);
  }
};

#define XSP_ORT_HOOKS(X)                                 \
  X(Run)                                                 \
  X(CreateSession)                                       \
  X(CreateSessionFromArray)                              \
  X(CloneSessionOptions)                                 \
  X(EnableProfiling)                                     \
  X(DisableProfiling)                                    \
  X(DisablePerSessionThreads)                            \
  X(ReleaseSession)                                      \
  X(ReleaseRunOptions)                                   \
  X(ReleaseSessionOptions)                               \
  X(SessionEndProfiling)                                 \
  X(RunWithBinding)                                      \
  X(CreateSessionWithPrepackedWeightsContainer)          \
  X(CreateSessionFromArrayWithPrepackedWeightsContainer) \
  X(RunAsync)                                            \
  X(RunOptionsEnableProfiling)                           \
  X(RunOptionsDisableProfiling)

template <uint32_t kTable>
const OrtHook* hooks_of() {
#define XSP_HOOK(name) {#name, ort::places::name, reinterpret_cast<ort::Slot>(&Hooks<kTable>::name)},
  static const OrtHook hooks[] = {XSP_ORT_HOOKS(XSP_HOOK){nullptr, {}, nullptr}};
#undef XSP_HOOK
  return hooks;
}

}  // namespace

const OrtHook* ort_hooks(uint32_t table) {
  using HooksOf = const OrtHook* (*)();
  // One instance of all hooks for each table, as many calls (CreateSession among them) do not say which table they came
  // by.
  static constexpr HooksOf kHooksOf[kMaxOrtTables] = {hooks_of<0>, hooks_of<1>, hooks_of<2>, hooks_of<3>,
                                                      hooks_of<4>, hooks_of<5>, hooks_of<6>, hooks_of<7>};
  return kHooksOf[table]();
}

ort::Slot ort_model_hook(uint32_t table) {
  static const ort::Slot hooks[kMaxOrtTables] = {
      reinterpret_cast<ort::Slot>(&Hooks<0>::CreateSessionFromModel),
      reinterpret_cast<ort::Slot>(&Hooks<1>::CreateSessionFromModel),
      reinterpret_cast<ort::Slot>(&Hooks<2>::CreateSessionFromModel),
      reinterpret_cast<ort::Slot>(&Hooks<3>::CreateSessionFromModel),
      reinterpret_cast<ort::Slot>(&Hooks<4>::CreateSessionFromModel),
      reinterpret_cast<ort::Slot>(&Hooks<5>::CreateSessionFromModel),
      reinterpret_cast<ort::Slot>(&Hooks<6>::CreateSessionFromModel),
      reinterpret_cast<ort::Slot>(&Hooks<7>::CreateSessionFromModel),
  };
  return hooks[table];
}

}  // namespace xsp::guest
