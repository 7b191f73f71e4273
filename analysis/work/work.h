#pragma once

#include <cstdint>

#include "analysis/trace/data_type.h"

namespace xsp::analysis {

/// What an operator or a library call has to do, computed from its arguments: a multiply-add is 2 flops, bytes are
/// those that must move at least once between memory and the chip (every input read, every output written).
struct Work {
  double flops = 0;
  double read_bytes = 0;
  double write_bytes = 0;
  DataType type = DataType::kUnknown;
  /// Whether the bytes are known too (an operator whose output shape cannot be told has flops only).
  bool has_bytes = true;
  /// Index in the table of formulas (operator_work.h), for what a report says of its source.
  uint16_t formula = 0;
};

}  // namespace xsp::analysis
