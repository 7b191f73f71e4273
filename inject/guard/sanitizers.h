#pragma once

namespace xsp::guest {

/// Whether the program is built with ThreadSanitizer or MemorySanitizer. These know what instrumented code does, and of
/// other code only what passes the functions that they intercept: of ours they report races and values that nobody has
/// set, and end the program. AddressSanitizer, LeakSanitizer and the sanitizer of undefined behaviour report nothing.
bool misread_by_sanitizer();

}  // namespace xsp::guest
