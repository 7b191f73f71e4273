#pragma once

#include <cstdint>
#include <string>

#include "inject/launch/options/options.h"

namespace xsp::launch {

/// Threads that are asked for where a run is made with a number of its own (xsp-bench --threads). 0: not asked for.
struct SessionThreads {
  uint32_t intra = 0;  ///< of ONNX Runtime's sessions, within an operator
  uint32_t inter = 0;  ///< operators side by side
};

/// What the guest finds in XSP_CONCURRENCY, as proto/environment.h has it: words with blanks between them. Empty: the
/// options ask for nothing. `policy`: path of the file with what to apply; empty: there is none.
std::string concurrency_words(const Options& options, const std::string& policy);

/// For a run that computes with a given number of threads and only tells which they were.
std::string record_words(const SessionThreads& sessions);

/// A path or a name in which nothing is taken for the end of a word or a line: %, blanks and control characters as
/// percent signs with two hexadecimal digits.
std::string percent_encoded(const std::string& text, bool with_blanks);

}  // namespace xsp::launch
