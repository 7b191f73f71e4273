#include "analysis/tables/folded_iteration.h"

#include <fmt/format.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/mining/folded_pattern.h"
#include "analysis/tables/kernel_tables.h"

namespace xsp::analysis {
namespace {

/// Rows are for reading; a pattern may have as many operations as half the trace.
constexpr size_t kMostRows = 20'000;

uint64_t operations_of_one(const FoldedPattern& part) {
  uint64_t operations = part.symbols.size();
  for (const FoldedPattern& inner : part.parts) operations += inner.repeats * operations_of_one(inner);
  return operations;
}

class Rows {
 public:
  Rows(const Trace& trace, const Operations& operations, Table* table)
      : trace_(trace), operations_(operations), table_(*table) {}

  void add(const std::vector<FoldedPattern>& parts, uint64_t depth) {
    for (const FoldedPattern& part : parts) add(part, depth);
  }

  uint64_t left_out() const { return left_out_; }

 private:
  void add(const FoldedPattern& part, uint64_t depth) {
    const bool is_block = part.repeats > 1 && (!part.parts.empty() || part.symbols.size() > 1);
    if (is_block) add_row(depth, part.repeats, operations_of_one(part), Cell());
    const uint64_t inside = is_block ? depth + 1 : depth;
    const uint64_t repeats = is_block ? 1 : part.repeats;
    for (const Symbol symbol : part.symbols) add_row(inside, repeats, 1, text_of(symbol));
    add(part.parts, inside);
  }

  void add_row(uint64_t depth, uint64_t repeats, uint64_t operations, Cell what) {
    if (table_.rows.size() == kMostRows) {
      ++left_out_;
    } else {
      table_.rows.push_back({count_cell(depth), count_cell(repeats), count_cell(operations), std::move(what)});
    }
  }

  Cell text_of(Symbol symbol) {
    const auto [found, added] = texts_.try_emplace(symbol);
    if (added) found->second = symbol_text(trace_, operations_.alphabet[symbol]);
    return found->second;
  }

  const Trace& trace_;
  const Operations& operations_;
  Table& table_;
  std::unordered_map<Symbol, std::string> texts_;
  uint64_t left_out_ = 0;
};

}  // namespace

Table folded_iteration(const Trace& trace, const FoundIterations& found, uint32_t loop) {
  Table table;
  table.id = "folded";
  table.title = "the pattern of an iteration, its repeats folded";
  table.columns = {{"depth", ""}, {"repeats", ""}, {"operations", ""}, {"what", "", kKernelNameWidth}};
  Rows rows(trace, found.operations, &table);
  rows.add(fold_pattern(found.loops.loops[loop].pattern), 0);
  if (rows.left_out() != 0)
    table.notes.push_back(fmt::format("the first {} rows; {} more", kMostRows, rows.left_out()));
  return table;
}

}  // namespace xsp::analysis
