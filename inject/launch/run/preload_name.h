#pragma once

#include <string>

namespace xsp::launch {

/// What LD_PRELOAD or LD_AUDIT names for `library`, a library of XSP's: a link to it, through a folder whose name
/// depends on the loader, so that programs that cannot load it (of 32 bits, or of another C library) get nothing and
/// start all the same, and that the runtime of AddressSanitizer takes for itself. doc/guest.md has the reasons.
/// `library` itself where there is no such link beside it, as for one that XSP_LIBRARY names.
///
/// `library` is a path as make_preloadable() gives it: what is returned has no space and no colon either.
std::string preload_name(const std::string& library);

/// The same by loaders of which is known whether they put something in the place of $PLATFORM. Where they do not, the
/// link for x86-64 is named as it is, and programs of musl end with an error of its loader.
std::string preload_name(const std::string& library, bool expands_platform);

}  // namespace xsp::launch
