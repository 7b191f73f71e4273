#include "analysis/tables/folded_pattern_table.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/mining/folded_pattern.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {
namespace {

constexpr size_t kMostPatternRows = 100'000;

uint64_t length_of(const FoldedPattern& part) {
  uint64_t length = part.symbols.size();
  for (const FoldedPattern& inside : part.parts) length += inside.repeats * length_of(inside);
  return length;
}

class Lines {
 public:
  Lines(const Trace& trace, const Operations& operations, Table* table)
      : trace_(trace), operations_(operations), names_(operations.alphabet.size()), table_(table) {}

  void add_line(size_t depth, uint64_t repeats, uint64_t operations, Cell what = {}) {
    if (table_->rows.size() >= kMostPatternRows) {
      ++left_out_;
      return;
    }
    TableRow row = table_->add_row();
    row.set(kD1Folded.depth, count_cell(depth));
    row.set(kD1Folded.repeats, count_cell(repeats));
    row.set(kD1Folded.operations, count_cell(operations));
    row.set(kD1Folded.what, std::move(what));
  }

  void add(const FoldedPattern& part, size_t depth) {
    if (part.parts.empty() && part.symbols.size() == 1) return add_operation(depth, part.repeats, part.symbols[0]);
    if (part.repeats != 1) add_line(depth++, part.repeats, length_of(part));
    for (const Symbol symbol : part.symbols) add_operation(depth, 1, symbol);
    for (const FoldedPattern& inside : part.parts) add(inside, depth);
  }

  size_t left_out() const { return left_out_; }

 private:
  void add_operation(size_t depth, uint64_t repeats, Symbol symbol) {
    std::string& name = names_[symbol];
    if (name.empty()) name = symbol_text(trace_, operations_.alphabet[symbol]);
    add_line(depth, repeats, 1, name);
  }

  const Trace& trace_;
  const Operations& operations_;
  std::vector<std::string> names_;  // by symbol
  Table* table_;
  size_t left_out_ = 0;
};

}  // namespace

Table folded_pattern_table(const Trace& trace, const FoundIterations& found) {
  Table table = make_table(kD1Folded);
  const auto& loops = found.loops.loops;
  size_t outermost = 0;
  for (const Loop& loop : loops) outermost += loop.level == 0 ? 1 : 0;
  Lines lines(trace, found.operations, &table);
  for (size_t i = 0; i < loops.size(); ++i) {
    if (loops[i].level != 0) continue;
    const size_t depth = outermost > 1 ? 1 : 0;
    if (outermost > 1) {
      lines.add_line(0, loops[i].iterations.size(), loops[i].pattern.size(), fmt::format("loop {}", i));
    }
    for (const FoldedPattern& part : fold_pattern(loops[i].pattern)) lines.add(part, depth);
  }
  if (lines.left_out() != 0) table.notes.push_back(fmt::format("{} more lines left out", lines.left_out()));
  return table;
}

}  // namespace xsp::analysis
