#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/owned_fd.h"
#include "base/status.h"

namespace xsp::launch {

/// Refuses, without changing anything, a place that cannot hold a set: a file; a folder that is not empty, unless it is
/// an earlier set and `force`; a folder that cannot be written.
Status check_folder(const std::string& folder, bool force);

/// Makes the folder and locks it for as long as `lock` is open; refuses one that another program is writing a set into.
/// The files of an earlier set there are removed, and no others.
Status make_folder(const std::string& folder, OwnedFd* lock);

/// Bytes that can still be written in `folder`; nothing if that cannot be told.
std::optional<uint64_t> room_in(const std::string& folder);

}  // namespace xsp::launch
