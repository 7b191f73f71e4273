#pragma once

#include <cstdint>
#include <string_view>

namespace xsp::guest {

/// What is done with the threads of model calls.
enum class ConcurrencyMode : uint8_t {
  kNone,     // nothing: XSP_CONCURRENCY is not set
  kRecord,   // their number is told
  kMeasure,  // calls take turns with several numbers
  kApply,    // a policy's numbers are set, in blocks that take turns with the program's own
};

inline constexpr uint32_t kMostThreads = 4096;

/// XSP_CONCURRENCY, words separated by blanks: "measure", "record" or "apply=/path/of/policy" (a blank in it is %20, a
/// percent sign %25), "cores=8", "interval=1", "validate", "sessions-intra=2", "sessions-inter=1". Words that are not
/// known are passed over; numbers that are none, or too large, count as 0.
struct ConcurrencySettings {
  ConcurrencyMode mode;
  bool validate;            // every number is measured
  uint16_t cores;           // that can be used; 0: as many as the scheduler allows
  uint16_t interval;        // between probes; 0: the default
  uint16_t sessions_intra;  // of sessions of ONNX Runtime; 0: as the program has it
  uint16_t sessions_inter;
  char policy[1024];  // "" where none is applied
};

ConcurrencySettings parse_concurrency(std::string_view words);

/// From the environment of the process.
ConcurrencySettings read_concurrency();

/// A number of threads in decimals; 0 for anything that is none or lies above kMostThreads.
uint16_t thread_number(std::string_view digits);

/// Replaces each %XX, in place; false if a percent sign is followed by anything else.
bool decode_percent(char* text);

}  // namespace xsp::guest
