#include "analysis/compare/fail_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "analysis/compare/circumstances.h"
#include "analysis/compare/row_identity.h"
#include "analysis/tables/model_information.h"
#include "analysis/tables/registry.h"
#include "analysis/tables/table_cells.h"
#include "analysis/tables/trace_quality.h"
#include "base/quantity_text.h"
#include "base/similar_words.h"

namespace xsp::analysis {
namespace {

using Kind = ConditionNode::Kind;

/// std::monostate: not known.
using Value = std::variant<std::monostate, double, std::string, bool>;

bool is_known(const Value& value) { return !std::holds_alternative<std::monostate>(value); }

Value value_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<int64_t>(&cell)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  if (const auto* truth = std::get_if<bool>(&cell)) return *truth;
  return {};
}

std::string text_of(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return four_digits(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "yes" : "no";
  return "not known";
}

/// "A2[conv1]", as a user would name the row.
std::string row_text(const Table& table, size_t row) { return fmt::format("{}[{}]", table.id, label_of(table, row)); }

class Check {
 public:
  Check(const Condition& condition, const Study& study, ComparisonTables* comparison, FailCheck* result)
      : condition_(condition), study_(study), comparison_(comparison), result_(*result) {}

  Status run() {
    if (condition_.needs_base && comparison_ == nullptr) {
      return {wrong("base and significant are of a comparison"), "add --diff BASE NEW"};
    }
    for (const TableOperand& reference : condition_.references) {
      const Table& table = table_of(reference);
      if (find_column(table, reference.column)) continue;
      std::vector<std::string> columns;
      for (const Column& column : table.columns) columns.push_back(column.name);
      return {wrong(fmt::format("{} has no column {}", table.id, reference.column)),
              choice_hint(reference.column, columns)};
    }
    driver_ = choose_driver();
    if (Status status = check_significant(); !status.ok()) return status;
    const TableOperand& driver = condition_.references[driver_];
    if (std::string totals = uncomparable(); !totals.empty()) {
      result_.unknown.push_back(std::move(totals));
      return {};
    }
    if (Status status = check_single_rows(driver); !status.ok()) return status;
    const Table& table = table_of(driver);
    const std::vector<size_t> rows = rows_of(driver);
    if (rows.empty()) {
      result_.unknown.push_back(driver.selects
                                    ? fmt::format("{} has no row [{}]{}", table.id, driver.selector, side(driver))
                                    : fmt::format("{} has no rows{}", table.id, side(driver)));
    }
    for (const size_t row : rows) {
      if (Status status = judge(table, row); !status.ok()) return status;
    }
    add_missing_rows(driver, rows);
    return {};
  }

 private:
  std::string wrong(const std::string& problem) const { return "--fail-if '" + condition_.text + "': " + problem; }
  std::string side(const TableOperand& reference) const {
    return comparison_ == nullptr ? "" : reference.of_base ? " in BASE" : " in NEW";
  }

  /// Its rows are judged: the first reference that is not of BASE.
  size_t choose_driver() const {
    const auto& references = condition_.references;
    const auto first =
        std::find_if(references.begin(), references.end(), [](const TableOperand& one) { return !one.of_base; });
    return first == references.end() ? 0 : static_cast<size_t>(first - references.begin());
  }

  /// Why the condition's question about BASE tells nothing about NEW.
  std::string uncomparable() const {
    if (!condition_.needs_base) return {};
    const auto& references = condition_.references;
    const bool asks = std::any_of(references.begin(), references.end(),
                                  [](const TableOperand& one) { return one.table != kA1.id && one.table != kQ1.id; });
    return asks ? totals_note(comparison_->comparison()) : std::string();
  }

  bool has(Kind kind) const {
    return std::any_of(condition_.nodes.begin(), condition_.nodes.end(),
                       [&](const ConditionNode& node) { return node.kind == kind; });
  }

  Status check_significant() const {
    const TableOperand& driver = condition_.references[driver_];
    if (!has(Kind::kSignificant) || (can_be_compared(driver.table) && !driver.of_base)) return {};
    return {wrong(fmt::format("{} has no significance ({} have)", driver.table, comparable_ids())), ""};
  }

  /// Iterates over the rows of the first reference only.
  Status check_single_rows(const TableOperand& driver) {
    for (const TableOperand& reference : condition_.references) {
      if (reference.has_rows_of(driver)) continue;
      const size_t rows = rows_of(reference).size();
      if (rows <= 1) continue;
      return {wrong(fmt::format("{}{} is of {} rows, and only the first table may have several", reference.table,
                                reference.selects ? "[" + reference.selector + "]" : "", rows)),
              "choose one: " + reference.table + "[NAME]." + reference.column};
    }
    return {};
  }

  const Table& table_of(const TableOperand& reference) {
    const auto [found, added] = tables_.try_emplace({reference.table, reference.of_base});
    if (added) {
      const Study& study = reference.of_base ? comparison_->comparison().base : study_;
      found->second = table_definition(reference.table)->compute(study);
    }
    return found->second;
  }

  std::vector<size_t> rows_of(const TableOperand& reference) {
    const Table& table = table_of(reference);
    if (reference.selects) return select_rows(table, reference.selector);
    std::vector<size_t> rows;
    for (size_t row = 0; row < table.rows.size(); ++row) rows.push_back(row);
    return rows;
  }

  /// The row of BASE that is a row of NEW.
  std::optional<size_t> base_row(const std::string& table, size_t row) {
    const auto [found, added] = base_rows_.try_emplace(table);
    if (added) {
      found->second = match_rows(comparison_->comparison(), table_of({.table = table, .of_base = true}),
                                 table_of({.table = table}));
    }
    const uint32_t in_base = found->second[row];
    return in_base == kNoPlace ? std::nullopt : std::optional<size_t>(in_base);
  }

  /// The row that a reference means where `row` of the driver is judged.
  std::optional<size_t> row_of(const TableOperand& reference, size_t row) {
    const TableOperand& driver = condition_.references[driver_];
    if (reference.has_rows_of(driver)) {
      if (reference.of_base == driver.of_base) return row;
      return base_row(reference.table, row);
    }
    const std::vector<size_t> rows = rows_of(reference);
    return rows.empty() ? std::nullopt : std::optional<size_t>(rows.front());
  }

  /// Of a reference, or of the same row in BASE.
  Value read(const TableOperand& reference, size_t row, bool in_base) {
    std::optional<size_t> at = row_of(reference, row);
    const bool step = in_base && !reference.of_base;
    if (at && step) at = base_row(reference.table, *at);
    TableOperand side = reference;
    side.of_base |= in_base;
    const Table& table = table_of(side);
    const auto column = find_column(table, reference.column);
    Value value = at && column ? value_of(table.rows[*at][*column]) : Value();
    std::string said = in_base ? "base " : "";
    if (!in_base && reference.of_base) said = "base." + reference.table + ".";
    const bool is_of_driver = reference.has_rows_of(condition_.references[driver_]);
    if (!in_base && !is_of_driver) said += at ? row_text(table, *at) + "." : reference.table + ".";
    if (!in_base) said += reference.column + " ";
    said += text_of(value);
    if (!at) said += side.of_base ? " (not in BASE)" : comparison_ == nullptr ? " (not there)" : " (not in NEW)";
    if (std::find(said_.begin(), said_.end(), said) == said_.end()) said_.push_back(std::move(said));
    return value;
  }

  Value read_significant(size_t row) {
    const TableOperand& driver = condition_.references[driver_];
    const Table& compared = comparison_->of(driver.table);
    if (compared_rows_.empty()) {
      compared_rows_ = rows_of_comparison(comparison_->comparison(), compared, table_of(driver));
    }
    const uint32_t at = compared_rows_[row];
    Value value = at == kNoPlace ? Value() : value_of(compared_cell(compared.rows[at], kCompared.significant));
    said_.push_back("significant " + text_of(value));
    return value;
  }

  Value evaluate(size_t number, size_t row) {
    const ConditionNode& node = condition_.nodes[number];
    switch (node.kind) {
      case Kind::kNumber:
        return node.number;
      case Kind::kText:
        return node.text;
      case Kind::kTruth:
        return node.number != 0;
      case Kind::kReference:
        return read(condition_.references[node.reference], row, false);
      case Kind::kBase:
        return read(condition_.references[node.reference], row, true);
      case Kind::kSignificant:
        return read_significant(row);
      case Kind::kNegate: {
        const Value value = arithmetic(evaluate(node.left, row));
        return is_known(value) ? Value(-std::get<double>(value)) : value;
      }
      case Kind::kNot: {
        const Value value = logical(evaluate(node.left, row));
        return is_known(value) ? Value(!std::get<bool>(value)) : value;
      }
      default:
        break;
    }
    const Value left = evaluate(node.left, row);
    const Value right = evaluate(node.right, row);
    switch (node.kind) {
      case Kind::kAnd:
      case Kind::kOr:
        return combine(node.kind == Kind::kOr, logical(left), logical(right));
      case Kind::kAdd:
      case Kind::kSubtract:
      case Kind::kMultiply:
      case Kind::kDivide:
        return calculate(node.kind, arithmetic(left), arithmetic(right));
      default:
        return compare_values(node.kind, left, right);
    }
  }

  Value arithmetic(Value value) {
    if (is_known(value) && !std::holds_alternative<double>(value)) return misfit(text_of(value) + " is no number");
    return value;
  }

  Value logical(Value value) {
    if (is_known(value) && !std::holds_alternative<bool>(value)) {
      return misfit(text_of(value) + " is neither true nor false");
    }
    return value;
  }

  Value misfit(const std::string& problem) {
    if (misfit_.empty()) misfit_ = problem;
    return {};
  }

  /// If one side decides the result, the other need not be known.
  static Value combine(bool either, const Value& a, const Value& b) {
    if (a == Value(either) || b == Value(either)) return either;
    return is_known(a) && is_known(b) ? Value(!either) : Value();
  }

  static Value calculate(Kind kind, const Value& left, const Value& right) {
    if (!is_known(left) || !is_known(right)) return {};
    const double a = std::get<double>(left);
    const double b = std::get<double>(right);
    const double result = kind == Kind::kAdd        ? a + b
                          : kind == Kind::kSubtract ? a - b
                          : kind == Kind::kMultiply ? a * b
                                                    : a / b;
    return std::isfinite(result) ? Value(result) : Value();
  }

  Value compare_values(Kind kind, const Value& a, const Value& b) {
    if (!is_known(a) || !is_known(b)) return {};
    if (a.index() != b.index()) return misfit(text_of(a) + " cannot be compared with " + text_of(b));
    switch (kind) {
      case Kind::kEqual:
        return a == b;
      case Kind::kNotEqual:
        return a != b;
      case Kind::kLess:
        return a < b;
      case Kind::kLessOrEqual:
        return a <= b;
      case Kind::kGreater:
        return a > b;
      default:
        return a >= b;
    }
  }

  Status judge(const Table& table, size_t row) {
    said_.clear();
    const Value verdict = logical(evaluate(condition_.root, row));
    if (!misfit_.empty()) return {wrong(row_text(table, row) + ": " + misfit_), ""};
    if (verdict == Value(false)) return {};
    std::string line = fmt::format("{}: {}", row_text(table, row), fmt::join(said_, ", "));
    (is_known(verdict) ? result_.holds : result_.unknown).push_back(std::move(line));
    return {};
  }

  /// If the condition needs BASE, rows that NEW no longer has cannot be judged either.
  void add_missing_rows(const TableOperand& driver, const std::vector<size_t>& rows) {
    if (!condition_.needs_base || driver.of_base || rows.empty()) return;
    TableOperand in_base = driver;
    in_base.of_base = true;
    const Table& base = table_of(in_base);
    std::vector<bool> met(base.rows.size());
    for (size_t row = 0; row < table_of(driver).rows.size(); ++row) {
      if (const auto at = base_row(driver.table, row)) met[*at] = true;
    }
    for (const size_t row : rows_of(in_base)) {
      if (!met[row]) result_.unknown.push_back(row_text(base, row) + ": not in NEW");
    }
  }

  const Condition& condition_;
  const Study& study_;
  ComparisonTables* comparison_;
  FailCheck& result_;
  size_t driver_ = 0;
  std::map<std::pair<std::string, bool>, Table> tables_;
  std::map<std::string, std::vector<uint32_t>> base_rows_;
  std::vector<uint32_t> compared_rows_;
  std::vector<std::string> said_;  // values read for a row
  std::string misfit_;
};

}  // namespace

Status check_condition(const Condition& condition, const Study& study, ComparisonTables* comparison, FailCheck* check) {
  return Check(condition, study, comparison, check).run();
}

}  // namespace xsp::analysis
