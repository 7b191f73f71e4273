#pragma once

#include "inject/ranges/nvtx_abi.h"

namespace xsp::guest {

/// What the exported InitializeInjectionNvtx2 does: puts our functions into the tables of one copy of NVTX (each
/// library that uses it has its own) and wakes the guest. Functions that the copy lacks are skipped. 1 if ranges are
/// recorded; 0 makes that copy do nothing, as without an injection.
int attach_nvtx(nvtx::GetExportTable get_export_table);

}  // namespace xsp::guest
