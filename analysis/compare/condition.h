#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace xsp::analysis {

/// "A2[conv*].latency_ms" or "base.A1.latency_ms": a column of a table, of all its rows or of those selected.
struct TableOperand {
  std::string table;     // id
  std::string selector;  // between the brackets
  bool selects = false;  // else every row is meant
  std::string column;
  bool of_base = false;

  bool has_rows_of(const TableOperand& other) const {
    return table == other.table && selects == other.selects && selector == other.selector;
  }
};

struct ConditionNode {
  enum class Kind : uint8_t {
    kNumber,
    kText,
    kTruth,
    kReference,
    kBase,         // the value of `reference` in BASE
    kSignificant,  // of the difference in the row
    kNegate,
    kNot,
    kAnd,
    kOr,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual,
    kEqual,
    kNotEqual,
  };

  Kind kind = Kind::kNumber;
  double number = 0;  // kTruth: not 0
  std::string text;
  size_t reference = 0;
  size_t left = 0;  // nodes
  size_t right = 0;
};

/// An expression of --fail-if, as a tree.
struct Condition {
  std::string text;
  std::vector<ConditionNode> nodes;
  size_t root = 0;
  std::vector<TableOperand> references;
  bool needs_base = false;
};

/// Reads an expression: comparisons of arithmetic over references, `base`, `significant`, numbers and "texts", joined
/// by and, or, not and parentheses. An error if it is not a valid expression, or names an unknown table.
Status parse_condition(std::string_view text, Condition* condition);

}  // namespace xsp::analysis
