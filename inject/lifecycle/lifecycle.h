#pragma once

namespace xsp::guest {

/// For _exit(), which runs no handler: has every part do what nobody could later, and marks the process as one that
/// left by its own will. Nothing in a vfork child, whose memory is its parent's.
void leave_process();

}  // namespace xsp::guest
