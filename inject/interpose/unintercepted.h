#pragma once

namespace xsp::guest {

struct Process;

/// Tells the collector, at the process's exit, which loaded libraries have calls that do not pass through the guest and
/// why (proto: Unintercepted), as far as the slots of the loaded objects show it: users that were bound past the guest,
/// second copies, functions that a library lacks. Statically linked libraries show in no symbol: for these the paths of
/// large objects are sent along (LoadedFiles), and the collector searches the files.
///
/// Reads nothing but the process's memory. Called while the process is awake, by the exit handler. Weak, as tests that
/// link no wrappers do not have it.
__attribute__((weak)) void report_unintercepted();

/// The same for a process that ends without having woken the guest. If there is something to report, the process is
/// woken and returned, and what was posted has yet to be sent. Else null.
Process* report_if_asleep();

}  // namespace xsp::guest
