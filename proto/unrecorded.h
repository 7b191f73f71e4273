#pragma once

/// How it becomes known that a process was to be recorded and could not be.

namespace xsp::unrecorded {

/// A process that cannot even connect leaves a symbolic link in the folder XSP_SCRATCH, which takes no descriptor to
/// make: this prefix and its pid, leading to one of the reasons below.
inline constexpr char kNotePrefix[] = "unrecorded.";

/// Reasons: in notes, and in the collector's status (proto/collector_status.h).
inline constexpr char kNoDescriptor[] = "NO_DESCRIPTOR";  ///< it had no free descriptor
inline constexpr char kOtherUser[] = "OTHER_USER";        ///< its user may not send to this collector

}  // namespace xsp::unrecorded
