#include "analysis/render/state_graph_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/tables/iteration_statistics.h"
#include "analysis/tables/table_cells.h"
#include "base/quantity_text.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

/// Beyond this many, loops are shown as rows.
constexpr size_t kMostLoops = 4;
constexpr size_t kBox = 14;  // columns between the sides

struct State {
  std::string name;
  double ms = 0;
  double pct = 0;
  double operations = 0;
};

/// What lines are drawn with.
struct BoxLines {
  std::string_view horizontal, vertical, top_left, top_right, bottom_left, bottom_right, right, up;
};
constexpr BoxLines kAsciiBox = {"-", "|", "+", "+", "+", "+", ">", "^"};
constexpr BoxLines kUnicodeBox = {"─", "│", "┌", "┐", "└", "┘", "▶", "▲"};

std::string repeated(std::string_view mark, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += mark;
  return text;
}

std::string centred(const std::string& text, size_t width) {
  const size_t taken = std::min(display_width(text), width);
  const size_t before = (width - taken) / 2;
  return std::string(before, ' ') + text + std::string(width - taken - before, ' ');
}

std::vector<State> states_of(const TableCells& cells, double loop) {
  std::vector<State> states;
  for (size_t row = 0; row < cells.rows(); ++row) {
    if (cells.number(row, kD2States.loop) != loop) continue;
    const auto number = [&](const ColumnDefinition& column) { return cells.number(row, column).value_or(0); };
    states.push_back({cells.text(row, kD2States.state), number(kD2States.mean_ms), number(kD2States.share_pct),
                      number(kD2States.operations)});
  }
  return states;
}

/// What the state starts or does, shown above the arrow into it: "12 operations".
std::string arrow_label(const State& state) {
  const bool is_copy = state.name == "copy";
  const std::string_view noun = state.operations == 1 ? (is_copy ? "copy" : "operation")
                                : is_copy             ? "copies"
                                                      : "operations";
  return fmt::format("{:.{}f} {}", state.operations,
                     state.operations < 10 && state.operations != std::floor(state.operations) ? 1 : 0, noun);
}

std::string time_of(double ms) { return four_digits(ms) + " ms"; }

std::string share_of(const State& state) { return fmt::format("{:.1f} %", state.pct); }

std::string in_a_line(const std::vector<State>& states, bool plain) {
  const std::string_view arrow = plain ? " -> " : " → ";
  std::string text;
  for (const State& state : states) {
    text += fmt::format("{} {} ({}){}", state.name, time_of(state.ms), share_of(state), arrow);
  }
  return text + states.front().name;
}

/// The width of the gap between two boxes.
size_t gap_of(const std::vector<State>& states) {
  size_t gap = 3;
  for (size_t i = 1; i < states.size(); ++i) gap = std::max(gap, arrow_label(states[i]).size() + 2);
  return gap;
}

void draw(const std::vector<State>& states, const BoxLines& lines, std::string* out) {
  const size_t gap = gap_of(states);
  const std::string indent = "  ";
  const std::string space(gap, ' ');
  std::array<std::string, 5> rows;
  for (size_t i = 0; i < states.size(); ++i) {
    const State& state = states[i];
    const auto side = [&](const std::string& text) {
      return std::string(lines.vertical) + centred(text, kBox) + std::string(lines.vertical);
    };
    if (i != 0) {
      rows[0] += space;
      rows[1] += centred(arrow_label(state), gap);
      rows[2] += repeated(lines.horizontal, gap - 1) + std::string(lines.right);
      rows[3] += space;
      rows[4] += space;
    }
    const std::string edge = repeated(lines.horizontal, kBox);
    rows[0] += std::string(lines.top_left) + edge + std::string(lines.top_right);
    rows[1] += side(state.name);
    rows[2] += side(time_of(state.ms));
    rows[3] += side(share_of(state));
    rows[4] += std::string(lines.bottom_left) + edge + std::string(lines.bottom_right);
  }
  for (const std::string& row : rows) *out += indent + row + "\n";
  // From the last state back to the first.
  const size_t box = kBox + 2;
  const size_t before = box / 2;
  const size_t between = (states.size() - 1) * (box + gap) - 1;
  const std::string margin = indent + std::string(before, ' ');
  *out += margin + std::string(lines.up) + std::string(between, ' ') + std::string(lines.vertical) + "\n";
  *out += margin + std::string(lines.bottom_left) + repeated(lines.horizontal, between) +
          std::string(lines.bottom_right) + "\n";
}

}  // namespace

void append_state_graphs(const Table& table, const ReportOptions& options, std::string* out) {
  const TableCells cells(table);
  std::vector<double> loops;
  for (size_t row = 0; row < cells.rows(); ++row) {
    const double loop = cells.number(row, kD2States.loop).value_or(0);
    if (loops.empty() || loops.back() != loop) loops.push_back(loop);
  }
  const bool plain = options.style.plain;
  for (size_t i = 0; i < std::min(loops.size(), kMostLoops); ++i) {
    std::vector<State> states = states_of(cells, loops[i]);
    double period = 0;
    for (const State& state : states) period += state.ms;
    // If nothing is copied between iterations, the host leads to the device.
    std::erase_if(states, [](const State& state) { return state.name == "copy" && state.operations == 0; });
    *out += fmt::format("states of loop {}: {} from iteration to iteration\n", loops[i], time_of(period));
    const size_t width = 2 + states.size() * (kBox + 2) + (states.size() - 1) * gap_of(states);
    if (options.width != 0 && width > options.width) {
      *out += "  " + wrap(in_a_line(states, plain), options.width, 2, 2, options.style) + "\n";
    } else {
      draw(states, plain ? kAsciiBox : kUnicodeBox, out);
    }
  }
}

}  // namespace xsp::analysis
