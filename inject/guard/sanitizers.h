#pragma once

namespace xsp::guest {

/// Whether the program is built with ThreadSanitizer or MemorySanitizer. These see what instrumented code does, and of
/// other code only what passes through functions that they intercept: in ours they report races and uninitialised
/// values, and end the program. AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer report nothing.
bool misread_by_sanitizer();

/// Ends the process by the `_exit` of a sanitizer's shared runtime, which comes after ours and may change the status,
/// as ThreadSanitizer does after a race. Returns if there is none, or if it has led back to us.
void exit_by_sanitizer(int status);

}  // namespace xsp::guest
