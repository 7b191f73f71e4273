#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "analysis/figures/columns_figure.h"
#include "analysis/figures/figure_text.h"
#include "analysis/figures/iteration_figures.h"
#include "analysis/tables/iteration_statistics.h"
#include "analysis/tables/table_cells.h"

namespace xsp::analysis {
namespace {

/// What the operations of a state are called.
struct StateKind {
  std::string_view name;
  std::string_view noun;
};
constexpr std::array kStates = {StateKind{"CPU", "launch"}, StateKind{"copy", "copy"}, StateKind{"GPU", "operation"}};

std::string counted_operations(double count, std::string_view noun) {
  const std::string plural = noun == "copy" ? "copies" : noun == "launch" ? "launches" : std::string(noun) + "s";
  return fmt::format("{} {}", figure_number(count), count == 1 ? noun : plural);
}

/// CPU, copy, GPU of one loop and the way through them.
struct LoopStates {
  std::string loop;
  std::array<std::optional<double>, kStates.size()> mean;
  std::array<double, kStates.size()> share = {};
  std::array<std::optional<double>, kStates.size()> operations;

  double period() const {
    double sum = 0;
    for (const auto& ms : mean) sum += ms.value_or(0);
    return sum;
  }
};

std::vector<LoopStates> states_of(const TableCells& cells) {
  std::vector<LoopStates> loops;
  for (size_t row = 0; row < cells.rows(); ++row) {
    const std::string state = cells.words(row, kD2States.state);
    const auto kind =
        std::find_if(kStates.begin(), kStates.end(), [&](const StateKind& known) { return known.name == state; });
    if (kind == kStates.end()) continue;
    const std::string loop = cells.words(row, kD2States.loop);
    auto found = std::find_if(loops.begin(), loops.end(), [&](const LoopStates& l) { return l.loop == loop; });
    if (found == loops.end()) found = loops.insert(loops.end(), LoopStates{loop, {}, {}, {}});
    const auto place = static_cast<size_t>(kind - kStates.begin());
    found->mean[place] = cells.number(row, kD2States.mean_ms);
    found->share[place] = cells.number(row, kD2States.share_pct).value_or(0);
    found->operations[place] = cells.number(row, kD2States.operations);
  }
  std::erase_if(loops, [](const LoopStates& loop) { return !(loop.period() > 0); });
  return loops;
}

std::string title_of(const LoopStates& loop, const std::string& unit) {
  const std::string name = loop.loop.empty() ? "An iteration" : "An iteration of loop " + figure_label(loop.loop);
  return fmt::format("{}: {} on average", name, figure_quantity(loop.period(), unit));
}

void append_links(const LoopStates& loop, size_t panel, std::vector<Link>* links) {
  enum : size_t { kCpu, kCopy, kGpu };
  const auto label = [&](size_t state) {
    return loop.operations[state] ? counted_operations(*loop.operations[state], kStates[state].noun) : "";
  };
  if (loop.mean[kCopy].value_or(0) > 0) {
    links->push_back({kCpu, kCopy, panel, label(kCopy)});
    links->push_back({kCopy, kGpu, panel, label(kGpu)});
  } else {
    links->push_back({kCpu, kGpu, panel, label(kGpu)});
  }
  links->push_back({kGpu, kCpu, panel, "next iteration"});
}

std::optional<Figure> state_graph_figure(const Table& table) {
  const Table* part = part_of(table, kD2States);
  if (part == nullptr || part->rows.empty()) return {};
  const TableCells cells(*part);
  std::vector<LoopStates> loops = states_of(cells);
  if (loops.empty()) return {};
  constexpr size_t kMostLoops = 4;
  Figure figure;
  figure.id = "D2.states";
  figure.table = table.id;
  figure.title = "What an iteration waits for and does";
  figure.kind = FigureKind::kStates;
  figure.x = {"mean time of an iteration", cells.unit(kD2States.mean_ms)};
  for (const StateKind& state : kStates) figure.labels.emplace_back(state.name);
  std::vector<std::string> findings;
  for (size_t i = 0; i < std::min(loops.size(), kMostLoops); ++i) {
    const LoopStates& loop = loops[i];
    figure.y.push_back({title_of(loop, figure.x.unit), "", Axis::Scale::kCategory});
    Series series{loop.loop, figure.x.unit, i};
    std::string finding = title_of(loop, figure.x.unit);
    for (size_t state = 0; state < kStates.size(); ++state) {
      const double ms = loop.mean[state].value_or(0);
      series.points.push_back({ms, static_cast<double>(state), loop.share[state], kOfNoRow});
      finding += fmt::format("{}{} {} ({})", state == 0 ? "; " : ", ", kStates[state].name,
                             figure_quantity(ms, figure.x.unit), figure_percent(loop.share[state]));
    }
    figure.series.push_back(std::move(series));
    append_links(loop, i, &figure.links);
    findings.push_back(std::move(finding));
  }
  figure.finding = sentences(findings);
  figure.note =
      sentences({"CPU: the interval before an iteration, without copies", "copy: copies from and to the host in it",
                 "GPU: the iteration itself",
                 loops.size() > kMostLoops ? figure_count(loops.size() - kMostLoops, "more loop") + " not drawn" : ""});
  return figure;
}

std::string range_of(const Series& series) {
  const auto [least, most] = std::minmax_element(series.points.begin(), series.points.end(),
                                                 [](const FigurePoint& a, const FigurePoint& b) { return a.y < b.y; });
  if (least->y == most->y) return fmt::format("{} {}", series.name, figure_quantity(most->y, series.unit));
  return fmt::format("{} {} to {}, longest at {}", series.name, figure_number(least->y),
                     figure_quantity(most->y, series.unit), figure_number(most->x));
}

std::optional<Figure> course_figure(const Table& table) {
  const Table* part = part_of(table, kD2Iterations);
  if (part == nullptr || part->rows.empty()) return {};
  ColumnsSpec spec{"D2.course", "Iteration after iteration", "iteration", &kD2Iterations.iteration};
  spec.panels = {{&kD2Iterations.iteration_ms, "iteration time"}, {&kD2Iterations.interval, "interval before it"}};
  auto figure = columns_figure(*part, spec);
  if (!figure) return {};
  figure->table = table.id + "." + part->id;
  std::vector<std::string> findings;
  for (const Series& series : figure->series) findings.push_back(range_of(series));
  std::string finding = fmt::format("{}", fmt::join(findings, "; "));
  if (!finding.empty()) finding[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(finding[0])));
  figure->finding = sentences({finding});
  return figure;
}

}  // namespace

std::vector<Figure> loop_figures(const Table& table) {
  std::vector<Figure> figures;
  if (auto figure = state_graph_figure(table)) figures.push_back(std::move(*figure));
  if (auto figure = course_figure(table)) figures.push_back(std::move(*figure));
  return figures;
}

}  // namespace xsp::analysis
