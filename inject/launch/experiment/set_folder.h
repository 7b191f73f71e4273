#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/owned_fd.h"
#include "base/status.h"

namespace xsp::launch {

/// Refuses a place where a set cannot be, and changes nothing: a file; a folder that holds anything, unless `force` and
/// it is an earlier set; one that cannot be written.
Status check_folder(const std::string& folder, bool force);

/// Makes the folder and locks it for as long as `lock` is open; one that another program writes a set into is refused.
/// Of an earlier set there, its files are removed, and no others.
Status make_folder(const std::string& folder, OwnedFd* lock);

/// Bytes that can still be written in `folder`; nothing if that cannot be told.
std::optional<uint64_t> room_in(const std::string& folder);

}  // namespace xsp::launch
