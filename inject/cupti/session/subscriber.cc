#include "inject/cupti/session/subscriber.h"

#include <string.h>

#include "inject/cupti/calls/api_callbacks.h"
#include "inject/guard/settings.h"
#include "inject/objects/elf_object.h"
#include "proto/environment.h"

namespace xsp::guest {
namespace {

/// Libraries by which tools come into a process.
struct Tool {
  const char* file;
  const char* name;
};
constexpr Tool kTools[] = {
    {"libToolsInjection", "Nsight Systems"},
    {"libnsys", "Nsight Systems"},
    {"libQuadDAnalysis", "Nsight Systems"},
    {"libcuda-injection", "Nsight Compute"},
    {"libnvperf_target", "a profiler of hardware counters"},
    {"libsanitizer-", "compute-sanitizer"},
    {"libproton", "Triton's Proton"},
    {"libtau", "TAU"},
    {"libscorep", "Score-P"},
    {"libhpcrun", "HPCToolkit"},
};

void guess(FixedText<256>& name) {
  each_object([&](const ElfObject& object) {
    for (const Tool& tool : kTools) {
      if (strncmp(object.file_name(), tool.file, strlen(tool.file)) != 0) continue;
      name.put(tool.name).put(" (").put(object.file_name()).put(")");
      return true;
    }
    return false;
  });
  if (!name.empty()) return;
  char path[200];
  for (const char* injection : {variable::kCudaInjection, "CUDA_INJECTION64_PATH"}) {
    copy_environment(injection, path, sizeof path);
    if (path[0] == '\0' || strstr(path, "libxsp_inject") != nullptr) continue;
    name.put("perhaps ").put(path);
    return;
  }
  name.put("another profiler in the program");
}

}  // namespace

cupti::Result subscribe(Session& session, NamedSubscribe* named_subscribe, SubscriberHolder* holder) {
  session.subscriber = nullptr;
  const auto callback = reinterpret_cast<cupti::Callback*>(&on_cupti_callback);
  cupti::Result result = session.cupti.subscribe(&session.subscriber, callback, &session);
  if (result != cupti::kMultipleSubscribers) return result;
  session.subscriber = nullptr;
  if (named_subscribe != nullptr) {
    char name[128] = {};
    SubscribeParameters parameters{
        .size = sizeof parameters, .name = "XSP", .old_name = name, .old_name_bytes = sizeof name};
    result = named_subscribe(&session.subscriber, callback, &session, &parameters);
    if (result == cupti::kSuccess) return result;
    session.subscriber = nullptr;
    name[sizeof name - 1] = '\0';
    holder->name.put(name);
  }
  if (holder->name.empty()) guess(holder->name);
  return cupti::kMultipleSubscribers;
}

void leave_subscriber(Session& session) {
  if (session.subscriber != nullptr) session.cupti.unsubscribe(session.subscriber);
  session.subscriber = nullptr;
}

}  // namespace xsp::guest
