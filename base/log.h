#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace xsp::log {

/// What a program did and found, for whoever looks after it: never part of its output. Nothing is logged before
/// configure(), or if that was given neither a level nor a file. Any thread may log.
enum class Level { kTrace, kDebug, kInfo, kWarning, kError, kOff };

/// Names of the levels, as --log-level takes them.
inline constexpr std::string_view kLevelNames[] = {"trace", "debug", "info", "warning", "error", "off"};

/// Logs what is at least of this level ("": info if there is a file, else off) to a file, which is rotated, or to
/// standard error; where that is the journal of systemd, with the priorities that it understands. An error: the level
/// is unknown, or the file cannot be written or holds something other than a log. Before any thread logs.
Status configure(std::string_view program, std::string_view level, const std::string& file);

/// Whether a line of this level would be written: where its text costs something to make.
bool writes(Level level);

/// Write a line. Control characters and what is no UTF-8 are replaced (message_text). They never fail: a log that
/// cannot be written changes nothing else.
void write(Level level, std::string_view text);
inline void debug(std::string_view text) { write(Level::kDebug, text); }
inline void info(std::string_view text) { write(Level::kInfo, text); }
inline void warning(std::string_view text) { write(Level::kWarning, text); }
inline void error(std::string_view text) { write(Level::kError, text); }

}  // namespace xsp::log
