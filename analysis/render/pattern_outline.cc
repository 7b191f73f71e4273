#include "analysis/render/pattern_outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "analysis/tables/folded_pattern_table.h"
#include "analysis/tables/table_cells.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

uint64_t count_of(const Cell& cell, uint64_t otherwise) {
  const auto* value = std::get_if<int64_t>(&cell);
  return value == nullptr || *value < 0 ? otherwise : static_cast<uint64_t>(*value);
}

/// A kernel without its result and its parameters, which say little of which one it is.
std::string_view without_signature(std::string_view name) {
  if (name.starts_with("void ")) name.remove_prefix(5);
  if (!name.ends_with(')')) return name;
  size_t depth = 0;
  for (size_t at = name.size(); at-- > 1;) {
    depth += name[at] == ')' ? 1 : 0;
    if (name[at] == '(' && --depth == 0) return name.substr(0, at);
  }
  return name;
}

std::vector<PatternLine> all_lines(const Table& part) {
  const auto depth = find_column(part, kD1Folded.depth);
  const auto repeats = find_column(part, kD1Folded.repeats);
  const auto operations = find_column(part, kD1Folded.operations);
  const auto what = find_column(part, kD1Folded.what);
  std::vector<PatternLine> lines;
  if (!depth || !repeats || !operations || !what) return lines;
  for (const auto& row : part.rows) {
    PatternLine line;
    // A line is at most one deeper than the line before it.
    const size_t most = lines.empty() ? 0 : lines.back().depth + 1;
    line.depth = std::min<size_t>(most, count_of(row[*depth], 0));
    line.repeats = count_of(row[*repeats], 1);
    line.operations = count_of(row[*operations], 1);
    if (const auto* text = std::get_if<std::string>(&row[*what])) line.what = without_signature(*text);
    if (!lines.empty() && line.depth > lines.back().depth) lines.back().is_block = true;
    lines.push_back(std::move(line));
  }
  return lines;
}

/// With blocks down to `deepest` and the first `run` of operations that follow one another.
std::vector<PatternLine> shortened(const std::vector<PatternLine>& all, size_t deepest, size_t run) {
  std::vector<PatternLine> lines;
  std::vector<size_t> since_block;  // by depth: operations since a block began or ended there
  for (const PatternLine& line : all) {
    since_block.resize(line.depth + 1, 0);
    if (line.depth > deepest) continue;
    if (line.is_block) {
      since_block[line.depth] = 0;
      lines.push_back(line);
      continue;
    }
    if (++since_block[line.depth] <= run) {
      lines.push_back(line);
      continue;
    }
    if (lines.back().left_out == 0) {
      PatternLine more;
      more.depth = line.depth;
      lines.push_back(more);
    }
    ++lines.back().left_out;
  }
  return lines;
}

}  // namespace

std::vector<PatternLine> pattern_outline(const Table& part, size_t most) {
  std::vector<PatternLine> all = all_lines(part);
  if (all.size() <= most) return all;
  size_t deepest = 0;
  for (const PatternLine& line : all) deepest = std::max(deepest, line.depth);
  constexpr size_t kLeastRun = 3;
  for (;; --deepest) {
    for (size_t run = most; run >= kLeastRun; run -= std::max<size_t>(1, run / 8)) {
      std::vector<PatternLine> lines = shortened(all, deepest, run);
      if (lines.size() <= most) return lines;
    }
    if (deepest == 0) break;
  }
  std::vector<PatternLine> lines = shortened(all, 0, kLeastRun);
  lines.resize(most - 1);
  PatternLine more;
  more.left_out = all.size();
  for (const PatternLine& line : lines) more.left_out -= std::max<size_t>(1, line.left_out);
  lines.push_back(more);
  return lines;
}

std::string repeats_text(const PatternLine& line) {
  std::string repeats = line.repeats == 1 ? std::string() : fmt::format("{} × ", line.repeats);
  if (!line.is_block && !(line.what.empty() && line.operations != 1)) return repeats;
  const std::string name = line.what.empty() ? std::string() : printable(line.what) + ": ";
  return fmt::format("{}{}{} operation{}", name, repeats, line.operations, line.operations == 1 ? "" : "s");
}

}  // namespace xsp::analysis
