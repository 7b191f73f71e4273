// Everything that libxsp_inject.so exports. The version script is anonymous: a named node would make the loader skip
// our definitions without a word.
#include <sys/syscall.h>
#include <unistd.h>

#include "inject/api/direct_span.h"
#include "inject/api/xsp.h"
#include "inject/cupti/injection.h"
#include "inject/cupti/session.h"
#include "inject/guard/errno_guard.h"
#include "inject/ranges/itt_injection.h"
#include "inject/ranges/nvtx_injection.h"
#include "proto/trace_numbers.h"

#define XSP_EXPORT __attribute__((visibility("default")))

namespace {

constexpr auto kKindApi = static_cast<uint8_t>(xsp::wire::Kind::kApi);

/// _exit runs no exit handler: what is recorded stays in the rings for the collector, and this tells it that the
/// process left by its own will. What CUPTI still holds is taken from it, as nobody could later. Not for a vfork child,
/// whose memory is its parent's.
[[noreturn]] void exit_now(int status) {
  if (xsp::guest::Process* process = xsp::guest::awake_process()) {
    if (process->pid == getpid()) {
      xsp::guest::finish_session();
      process->region.header()->goodbye.store(1, std::memory_order_release);
    }
  }
  while (true) syscall(SYS_exit_group, status);
}

__attribute__((noinline)) uint64_t start_anyhow(uint32_t name, uint8_t level) {
  return xsp::guest::start_span(name, level, kKindApi, 0, 0);
}

__attribute__((noinline)) void finish_anyhow(uint64_t span) { xsp::guest::finish_span(span, {}); }

}  // namespace

extern "C" {

XSP_EXPORT xsp_name xsp_intern(const char* name) {
  if (name == nullptr) return 0;
  const xsp::guest::ErrnoGuard errno_guard;
  return xsp::guest::intern(name);
}

XSP_EXPORT xsp_span xsp_start_span(xsp_name name, enum xsp_level level) {
  if (level < XSP_APPLICATION || level > XSP_DEVICE) return 0;
  const uint64_t span = xsp::guest::start_directly(name, static_cast<uint8_t>(level));
  if (__builtin_expect(span != 0, 1)) return span;
  return xsp::guest::is_nothing_recorded() ? 0 : start_anyhow(name, static_cast<uint8_t>(level));
}

XSP_EXPORT void xsp_finish_span(xsp_span span) {
  if (span != 0 && __builtin_expect(!xsp::guest::finish_directly(span), 0)) finish_anyhow(span);
}

XSP_EXPORT void xsp_tag_span(xsp_span span, const char* key, const char* value) {
  xsp::guest::tag_span(span, key, value);
}

// Called by libcuda inside cuInit: CUDA_INJECTION64_PATH names this library.
XSP_EXPORT int InitializeInjection(void) { return xsp::guest::initialize_injection(); }

// Looked up by every copy of NVTX and of ittnotify in the process: NVTX_INJECTION64_PATH and INTEL_LIBITTNOTIFY64 name
// this library.
XSP_EXPORT int InitializeInjectionNvtx2(xsp::guest::nvtx::GetExportTable get_export_table) {
  return xsp::guest::attach_nvtx(get_export_table);
}
// NOLINTNEXTLINE(bugprone-reserved-identifier)
XSP_EXPORT void __itt_api_init(xsp::guest::itt::Global* global, int /*groups*/) { xsp::guest::attach_itt(global); }

XSP_EXPORT void _exit(int status) { exit_now(status); }
XSP_EXPORT void _Exit(int status) { exit_now(status); }

}  // extern "C"
