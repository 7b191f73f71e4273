#pragma once

#include <string>

#include "base/status.h"

namespace xsp::launch {

/// Lets `library` be named in LD_PRELOAD and LD_AUDIT, which the loader splits at spaces and colons, and in which it
/// replaces $LIB, $ORIGIN and $PLATFORM. A path with one of these characters is replaced by one through a symlink to
/// its folder, in a folder of this user in /tmp (or TMPDIR, XDG_RUNTIME_DIR), whose name nobody can foresee. The folder
/// is found again by every run and stays: processes that outlive xsp-run still start others.
Status make_preloadable(std::string* library);

}  // namespace xsp::launch
