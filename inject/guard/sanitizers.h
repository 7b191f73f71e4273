#pragma once

namespace xsp::guest {

/// Whether the program is built with ThreadSanitizer or MemorySanitizer. These know what instrumented code does, and of
/// other code only what passes the functions that they intercept: of ours they report races and values that nobody has
/// set, and end the program. AddressSanitizer, LeakSanitizer and the sanitizer of undefined behaviour report nothing.
bool misread_by_sanitizer();

/// Ends the process by the `_exit` of a sanitizer's shared runtime, which comes behind ours and may change the status,
/// as ThreadSanitizer does after a race. Returns where there is none, or where it has led back to us.
void exit_by_sanitizer(int status);

}  // namespace xsp::guest
