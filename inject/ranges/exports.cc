#include "inject/ranges/itt_injection.h"
#include "inject/ranges/nvtx_injection.h"

#define XSP_EXPORT __attribute__((visibility("default")))

// Every copy of NVTX and of ittnotify in the process looks these up: NVTX_INJECTION64_PATH and INTEL_LIBITTNOTIFY64
// name this library.
extern "C" {

XSP_EXPORT int InitializeInjectionNvtx2(xsp::guest::nvtx::GetExportTable get_export_table) {
  return xsp::guest::attach_nvtx(get_export_table);
}
// NOLINTNEXTLINE(bugprone-reserved-identifier)
XSP_EXPORT void __itt_api_init(xsp::guest::itt::Global* global, int /*groups*/) { xsp::guest::attach_itt(global); }

}  // extern "C"
