#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
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
  uint32_t name = 0;           // string id
  uint32_t configuration = 0;  // of kernels string id of a launch configuration, whose grid is the symbol's; 0: none
  uint32_t type = 0;           // of layers and calls: string id of the type or library
  Kind kind = Kind::kUnspecified;
};

/// The operations of one process in order of begin (those with the same begin in order of end, then of recording), as
/// its loops are mined from.
struct Operations {
  uint32_t process = 0;
  OperationSource source = OperationSource::kNone;
  std::vector<uint32_t> executions;  // of kDevice: indices in Trace::executions; empty: first_execution and the next
  uint32_t first_execution = 0;
  const std::vector<Row>* execution_rows = nullptr;  // of kDevice: Trace::executions.row
  std::vector<Row> rows;                             // else: of SpanTable
  double elsewhere_pct = 0;  // of the time of layers or calls: those of other threads, which are none of the operations
  std::vector<Symbol> symbols;
  std::vector<OperationSymbol> alphabet;  // by symbol
  std::vector<SymbolRole> roles;          // by symbol

  size_t size() const { return symbols.size(); }
  Row row(size_t i) const { return execution_rows == nullptr ? rows[i] : (*execution_rows)[execution(i)]; }
  uint32_t execution(size_t i) const {
    return executions.empty() ? first_execution + static_cast<uint32_t>(i) : executions[i];
  }
};

/// How operations become symbols.
enum class SymbolChoice : uint8_t { kNameAndGrid, kName };

Operations operations_of(const Trace& trace, const Evaluations& evaluations, uint32_t process,
                         SymbolChoice symbols = SymbolChoice::kNameAndGrid);

/// "ampere_sgemm_128x64_nn" or "void at::native::…" with all of its arguments, "copy to device", "memset", the name of
/// a layer.
std::string symbol_text(const Trace& trace, const OperationSymbol& symbol);

/// Of a kind of copy ("HtoD", "DtoH (Device -> Pinned)", "unified DtoD"): kToDevice, kToHost or kMovement.
SymbolRole copy_role(std::string_view kind_of_copy);

/// Whether the name of a kernel (demangled or not) or of an annotation says that it updates weights: "adam", "sgd",
/// "multi_tensor_apply", …
bool is_optimizer_name(std::string_view name);

/// Time in ns in which nothing ran before an operation: 0 where others still run when it begins, and of the first.
/// Cheapest for operations in order; anywhere else it looks at a few hundred others.
class IdleTimes {
 public:
  IdleTimes(const Trace& trace, const Operations& operations);

  int64_t before(size_t operation);

 private:
  static constexpr size_t kBlock = 256;

  int64_t end_of(size_t operation) const { return trace_.spans.end[operations_.row(operation)]; }

  const Trace& trace_;
  const Operations& operations_;
  std::vector<int64_t> before_block_;  // latest end of all operations before each block
  size_t seen_ = 0;                    // operations whose ends latest_ is of
  int64_t latest_ = INT64_MIN;
};

}  // namespace xsp::analysis
