#pragma once

#include <string>

#include "base/status.h"
#include "inject/launch/run/install_layout.h"

namespace xsp::launch {

/// The library that --audit names in LD_AUDIT. A failure when it is not installed, or when the C library is older than
/// 2.35: its loader has every call between libraries pass by an auditor, also where that wants none.
Status find_auditor(const InstallLayout& layout, std::string* path);

/// What find_auditor says of a C library of this version, as gnu_get_libc_version() has it.
Status refuse_old_loader(const std::string& version);

}  // namespace xsp::launch
