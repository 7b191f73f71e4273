#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "import/frame/profile_timeline.h"
#include "import/kineto/profiler_event.h"

namespace xsp::kineto {

/// Arguments of the operators of one process. Identical JSON is read only once, as training repeats itself.
class OperatorArgumentTable {
 public:
  explicit OperatorArgumentTable(ImportedProcess& process) : process_(process) {}

  /// An id for ImportedSpan::arguments; 0 if the event has none.
  uint32_t add(const ProfilerEvent& event);

 private:
  uint32_t make(const ProfilerEvent& event);

  ImportedProcess& process_;
  std::unordered_map<std::string, uint32_t> known_;  // by the JSON of the event
  std::string key_;
  std::string inputs_;
  std::string values_;
};

/// Writes 'Input Dims' and 'Input type', two JSON arrays, in the form of OperatorArguments::inputs. Damage ends the
/// list. Tensors of a list have no element type there: "?".
void append_operator_inputs(std::string_view dims, std::string_view types, std::string* inputs);

}  // namespace xsp::kineto
