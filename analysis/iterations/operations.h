#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/mining/loops.h"
#include "analysis/timeline/evaluations.h"
#include "analysis/timeline/executions.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// What the operations of a process are.
enum class OperationSource : uint8_t {
  kNone,     // it has none
  kDevice,   // kernels, copies and memsets of all its streams
  kLayer,    // where nothing of a device was recorded: layers of its busiest thread
  kLibrary,  // where there are no layers either: outermost library calls, likewise
};

/// What a symbol stands for.
struct OperationSymbol {
  uint32_t name = 0;  // string id
  uint32_t grid = 0;  // string id of the launch configuration's grid; of layers the type; 0: none
  Kind kind = Kind::kUnspecified;
};

/// The operations of one process in order of begin (those with the same begin in order of end, then of recording), as
/// its loops are mined from.
struct Operations {
  uint32_t process = 0;
  OperationSource source = OperationSource::kNone;
  std::vector<Row> rows;  // of SpanTable, in order of begin; empty: rows first_row, first_row + 1, …
  Row first_row = 0;
  std::vector<uint32_t> executions;  // of kDevice: their indices in Trace::executions; empty: likewise
  uint32_t first_execution = 0;
  std::vector<Symbol> symbols;
  std::vector<OperationSymbol> alphabet;  // by symbol
  std::vector<SymbolRole> roles;          // by symbol

  size_t size() const { return symbols.size(); }
  Row row(size_t i) const { return rows.empty() ? first_row + static_cast<Row>(i) : rows[i]; }
  uint32_t execution(size_t i) const {
    return executions.empty() ? first_execution + static_cast<uint32_t>(i) : executions[i];
  }
};

Operations operations_of(const Trace& trace, const Evaluations& evaluations, uint32_t process);

/// "ampere_sgemm_128x64_nn" or "void at::native::…" shortened for people, and "copy to device"; not redacted.
std::string symbol_text(const Trace& trace, const OperationSymbol& symbol);

/// Whether the name of a kernel (demangled or not) or of an annotation says that it updates weights: "adam", "sgd",
/// "multi_tensor_apply", …
bool is_optimizer_name(std::string_view name);

}  // namespace xsp::analysis
