#pragma once

#include <string>

#include "base/status.h"

namespace xsp::launch {

/// Where the parts of XSP lie. Looked for relative to xsp-run itself, so that a moved installation and a build folder
/// work, then under the configured prefix, which a portable build lacks. XSP_LIBRARY, XSP_COLLECTOR and XSP_REPORT name
/// other files (for tests).
struct InstallLayout {
  std::string library;    ///< libxsp_inject.so; empty: not found
  std::string collector;  ///< xsp-collector; empty: not found
  std::string report;     ///< xsp-report; empty: not found, then there is no summary
};

InstallLayout find_install_layout();

/// What is missing for a run: the library always, the collector if `private_collector`.
Status missing_part(const InstallLayout& layout, bool private_collector);

/// The library that --audit names in LD_AUDIT. Fails when it is not installed, or when the C library is older than
/// 2.35, whose loader passes every call between libraries through an auditor, even one that wants none.
Status find_auditor(const InstallLayout& layout, std::string* path);

/// What find_auditor says of a C library of this version, as gnu_get_libc_version() has it.
Status refuse_old_loader(const std::string& version);

}  // namespace xsp::launch
