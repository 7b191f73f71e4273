#pragma once

#include <cstdlib>
#include <string>

namespace xsp::analysis {

/// A variable of the environment; empty where it is not set.
inline std::string environment_text(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? std::string() : std::string(value);
}

/// Whether a variable of the environment has a value that is not empty.
inline bool is_set(const char* variable) { return !environment_text(variable).empty(); }

}  // namespace xsp::analysis
