#pragma once

#include <cstdlib>

namespace xsp::analysis {

/// Whether a variable of the environment has a value that is not empty.
inline bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace xsp::analysis
