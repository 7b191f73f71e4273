#include "inject/cupti/session/injection.h"

#include <dlfcn.h>

#include "inject/cupti/library/driver_functions.h"
#include "inject/cupti/library/notice_severity.h"
#include "inject/cupti/session/session_start.h"
#include "inject/cupti/state/session.h"
#include "inject/guard/cancel_guard.h"
#include "inject/guard/errno_guard.h"
#include "inject/guard/fixed_text.h"
#include "inject/guard/settings.h"
#include "inject/objects/elf_object.h"
#include "inject/objects/loader_functions.h"
#include "inject/record/process.h"
#include "proto/environment.h"

namespace xsp::guest {
namespace {

void initialize_users_injection() {
  char path[4096];
  copy_environment(variable::kCudaInjection, path, sizeof path);
  if (path[0] == '\0') return;
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const char* error = handle == nullptr ? next_loader().dlerror() : nullptr;
  auto* initialize =
      handle == nullptr ? nullptr : reinterpret_cast<int (*)()>(next_loader().dlsym(handle, "InitializeInjection"));
  ElfObject object;
  if (initialize != nullptr && (!find_object(reinterpret_cast<uintptr_t>(initialize), &object) || !is_guest(object))) {
    initialize();
  } else if (initialize == nullptr) {
    FixedText<1400> text;
    text.put("CUDA_INJECTION64_PATH named ").put(path).put(", which ");
    if (handle != nullptr) {
      text.put("has no InitializeInjection");
    } else {
      text.put("cannot be loaded: ").put(error == nullptr ? "unknown" : error);
    }
    notify(kNoticeWarning, "cupti", text.view());
  }
}

void tell_missing_driver() {
  static constinit std::atomic<bool> told{false};
  const Process* process = awake_process();
  if (process == nullptr || process->settings.deepest_level < static_cast<uint8_t>(wire::Level::kRuntime)) return;
  if (!told.exchange(true))
    notify(kNoticeInfo, "cupti", "CUDA calls fail and there are no kernels: no NVIDIA driver is loaded");
}

}  // namespace

int initialize_injection() {
  const ErrnoGuard errno_guard;
  const CancelGuard cancel_guard;
  initialize_users_injection();
  start_session();
  return 1;
}

void start_session_behind_call(bool failed) {
  if (device_session() != nullptr) return;
  const ErrnoGuard errno_guard;
  const CancelGuard cancel_guard;
  if (!failed && driver_is_up()) start_session();
  if (failed && driver_version() == 0) tell_missing_driver();
}

}  // namespace xsp::guest
