#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/status.h"

namespace xsp::launch {

/// Replaces %p (`pid`), %h (host), %t (local time), %q{VAR} and %% in `pattern`.
Status expand_placeholders(const std::string& pattern, pid_t pid, std::string* path);

/// `xsp-<name>-<pid>.pb` in the current folder; with .1, .2 … before .pb where a trace of that name exists.
std::string default_output(const std::vector<std::string>& command, pid_t pid);

/// The folder of a set, or of a recording that goes on (--continuous): `output` with its placeholders filled in by
/// `pid`; if empty, `xsp-<name>-<pid>` in the current folder, or that with .1, .2 … where there is one already.
Status choose_folder(const std::string& output, const std::vector<std::string>& command, pid_t pid,
                     std::string* folder);

/// Whether the path is a pipe or a device: what is written there cannot be read again.
bool is_stream(const std::string& path);

/// Makes `path` fit to be written: its folders exist and are writable, and no file stands there unless `force`.
Status prepare_output(const std::string& path, bool force);

}  // namespace xsp::launch
