#pragma once

#include <string>

namespace xsp::launch {

/// What LD_PRELOAD or LD_AUDIT names for `library`, a library of XSP's: a link to it in a folder whose name depends on
/// the loader, so that programs that cannot load it (32-bit, or of another C library) get nothing and still start, and
/// so named that the runtime of AddressSanitizer takes it for itself. doc/guest.md has the reasons. `library` itself
/// where there is no such link beside it, as for one that XSP_LIBRARY names.
///
/// `library` is a path as make_preloadable() gives it: what is returned has no space and no colon either.
std::string preload_name(const std::string& library);

/// The same for loaders that are known to expand $PLATFORM, or not to. Where they do not, the link for x86-64 is named
/// directly, and programs of musl end with an error of its loader.
std::string preload_name(const std::string& library, bool expands_platform);

}  // namespace xsp::launch
