#pragma once

namespace xsp::guest {

struct Process;

/// Tells the collector, at the process's exit, which loaded libraries have calls that do not pass through the guest and
/// why (proto: Unintercepted), as far as the slots of the loaded objects show it: users that were bound past the guest,
/// second copies, functions that a library lacks. What is linked statically shows in no symbol; for that the paths of
/// large objects go along (LoadedFiles), in which the collector looks.
///
/// Reads the process's memory only. Called while the process is awake, by the exit handler. Weak: a test that links no
/// wrappers has none.
__attribute__((weak)) void report_unintercepted();

/// The same for a process that ends without having woken the guest. Where there is something to tell it is woken, and
/// returned: what has been posted is yet to be sent. Else null.
Process* report_if_asleep();

}  // namespace xsp::guest
