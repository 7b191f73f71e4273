#include "analysis/figures/sweep_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/figures/bars_figure.h"
#include "analysis/figures/figure_text.h"
#include "analysis/tables/model_information.h"
#include "analysis/tables/table_cells.h"

namespace xsp::analysis {
namespace {

/// "[4,3,224,224]" of batch size 4 is "[N,3,224,224]": the same input at all batch sizes.
std::string input_of_any_batch(std::string input, const std::string& batch) {
  if (batch.empty()) return input;
  std::string begin = "[";
  begin += batch;
  for (size_t at = input.find(begin); at != std::string::npos; at = input.find(begin, at + 1)) {
    const size_t end = at + begin.size();
    if (end >= input.size() || (input[end] != ',' && input[end] != ']')) continue;
    input = fmt::format("{}N{}", input.substr(0, at + 1), input.substr(end));
  }
  return input;
}

/// Places of the columns that a sweep has after those of every table: its parameters, except the batch size.
std::vector<size_t> parameters_of(const Table& table) {
  const TableCells cells(table);
  const auto last = find_column(table, kA1.ci_high_ms);
  std::vector<size_t> parameters;
  if (!last) return parameters;
  for (size_t place = *last + 1; place < table.columns.size(); ++place) {
    bool is_batch = true;
    for (size_t row = 0; row < cells.rows() && is_batch; ++row) {
      const auto value = number_of(table.rows[row][place]);
      is_batch = value && value == cells.number(row, kA1.batch_size);
    }
    if (!is_batch) parameters.push_back(place);
  }
  return parameters;
}

/// Rows of one model on one system, with inputs that differ in their batch size only.
struct Line {
  std::vector<std::string> of;  // model, input, GPU, parameters, and where batch sizes come twice the process
  std::vector<size_t> rows;     // by batch size
};

std::vector<Line> lines_of(const Table& table, bool by_process) {
  const TableCells cells(table);
  const std::vector<size_t> parameters = parameters_of(table);
  std::vector<Line> lines;
  for (size_t row = 0; row < cells.rows(); ++row) {
    if (!cells.number(row, kA1.batch_size) || *cells.number(row, kA1.batch_size) <= 0) continue;
    std::vector<std::string> of = {cells.words(row, kA1.model),
                                   input_of_any_batch(cells.words(row, kA1.input), cells.words(row, kA1.batch_size)),
                                   cells.words(row, kA1.gpu), by_process ? cells.words(row, kA1.process) : ""};
    for (const size_t parameter : parameters) {
      const std::string value = words_of(table.rows[row][parameter]);
      of.push_back(value.empty() ? "" : fmt::format("{}={}", table.columns[parameter].name, value));
    }
    auto found = std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return line.of == of; });
    if (found == lines.end()) found = lines.insert(lines.end(), {std::move(of), {}});
    found->rows.push_back(row);
  }
  for (Line& line : lines) {
    std::stable_sort(line.rows.begin(), line.rows.end(), [&](size_t a, size_t b) {
      return *cells.number(a, kA1.batch_size) < *cells.number(b, kA1.batch_size);
    });
  }
  return lines;
}

bool repeats_a_batch(const TableCells& cells, const std::vector<Line>& lines) {
  return std::any_of(lines.begin(), lines.end(), [&](const Line& line) {
    std::set<double> seen;
    return std::any_of(line.rows.begin(), line.rows.end(),
                       [&](size_t row) { return !seen.insert(*cells.number(row, kA1.batch_size)).second; });
  });
}

/// What distinguishes a line from the others: the parts in which they differ; the model if they differ in none.
std::vector<std::string> names_of(const std::vector<Line>& lines) {
  std::vector<std::string> names;
  for (const Line& line : lines) {
    std::string name;
    for (size_t part = 0; part < line.of.size(); ++part) {
      const bool differs =
          std::any_of(lines.begin(), lines.end(), [&](const Line& other) { return other.of[part] != line.of[part]; });
      if (!differs || line.of[part].empty()) continue;
      if (!name.empty()) name += ", ";
      name += line.of[part];
    }
    names.push_back(figure_label(name.empty() ? line.of[0] : name));
  }
  return names;
}

std::optional<double> field_of(const Extra& extra, std::string_view name) {
  for (const auto& [field, value] : extra.fields) {
    if (field == name) return number_of(value);
  }
  return {};
}

/// The optimal batch size by each rule; where both rules name one, one mark.
std::vector<Mark> marks_of(const Table& table) {
  std::vector<Mark> marks;
  const std::string own = "optimal_batch";
  for (const Extra& extra : table.extras) {
    if (!extra.name.starts_with(own)) continue;
    const std::string point = extra.name.size() > own.size() ? figure_label(extra.name.substr(own.size())) : "";
    const auto rule = field_of(extra, "rule");
    const auto max = field_of(extra, "max");
    const auto chosen = field_of(extra, "chosen");
    if (rule && rule == max) {
      marks.push_back({fmt::format("{:g}: optimal, and largest throughput{}", *rule, point), *rule});
    } else {
      if (rule) marks.push_back({fmt::format("{:g}: optimal (5 % rule){}", *rule, point), *rule});
      if (max) marks.push_back({fmt::format("{:g}: largest throughput{}", *max, point), *max});
    }
    if (chosen && chosen != rule && chosen != max) {
      marks.push_back({fmt::format("{:g}: chosen{}", *chosen, point), *chosen});
    }
  }
  return marks;
}

Figure line_figure(const Table& table, const std::vector<Line>& lines) {
  const TableCells cells(table);
  Figure figure;
  figure.id = "A1.sweep";
  figure.table = table.id;
  figure.title = "Throughput and latency over batch sizes";
  figure.kind = FigureKind::kLines;
  figure.x = {"batch size", "", Axis::Scale::kLog2};
  const std::vector<std::string> names = names_of(lines);
  struct Panel {
    const ColumnDefinition& column;
    std::string label;
    Axis::Scale scale;
  };
  const std::vector<Panel> panels = {{kA1.throughput_per_s, "throughput", Axis::Scale::kLinear},
                                     {kA1.latency_ms, "latency", Axis::Scale::kLog10}};
  double best = 0;
  size_t best_row = kOfNoRow;
  std::string best_name;
  for (const Panel& panel : panels) {
    if (!cells.has_values(panel.column)) continue;
    for (size_t i = 0; i < lines.size(); ++i) {
      Series series{names[i], cells.unit(panel.column), figure.y.size()};
      for (const size_t row : lines[i].rows) {
        const auto value = cells.number(row, panel.column);
        if (!value) continue;
        FigurePoint point{*cells.number(row, kA1.batch_size), *value, 0, row};
        const auto low = cells.number(row, kA1.ci_low_ms);
        const auto high = cells.number(row, kA1.ci_high_ms);
        if (&panel.column == &kA1.latency_ms && low && high) {
          point.low = *low;
          point.high = *high;
        }
        series.points.push_back(point);
        if (&panel.column == &kA1.throughput_per_s && (best_row == kOfNoRow || *value > best)) {
          best = *value;
          best_row = row;
          best_name = names[i];
        }
      }
      figure.series.push_back(std::move(series));
    }
    figure.y.push_back({panel.label, cells.unit(panel.column), panel.scale});
  }
  figure.marks = marks_of(table);
  std::string finding;
  if (best_row != kOfNoRow) {
    finding = fmt::format("{}most throughput at batch size {}, {} inputs a second, where a batch takes {} ms",
                          lines.size() > 1 ? best_name + " has the " : "", cells.words(best_row, kA1.batch_size),
                          figure_number(best), figure_number(cells.number(best_row, kA1.latency_ms).value_or(0)));
  }
  for (const Extra& extra : table.extras) {
    const auto rule = field_of(extra, "rule");
    if (extra.name == "optimal_batch" && rule) finding += fmt::format("; the 5 % rule chooses {:g}", *rule);
  }
  if (!finding.empty() && lines.size() == 1) finding[0] = 'M';
  figure.finding = sentences({finding});
  size_t drawn = 0;
  for (const Line& line : lines) drawn += line.rows.size();
  if (const size_t rest = cells.rows() - drawn; rest != 0) {
    figure.note = sentences({fmt::format("{} without a batch size not drawn", figure_count(rest, "row"))});
  }
  return figure;
}

}  // namespace

std::vector<Figure> sweep_figures(const Table& table) {
  const TableCells cells(table);
  std::vector<Line> lines = lines_of(table, false);
  if (repeats_a_batch(cells, lines)) lines = lines_of(table, true);
  const bool swept = std::any_of(lines.begin(), lines.end(), [&](const Line& line) {
    return *cells.number(line.rows.front(), kA1.batch_size) < *cells.number(line.rows.back(), kA1.batch_size);
  });
  if (swept) return {line_figure(table, lines)};

  std::vector<Bar> bars =
      bars_of(table, {&kA1.model, &kA1.input, &kA1.gpu}, kA1.latency_ms, &kA1.ci_low_ms, &kA1.ci_high_ms);
  std::set<std::string> names;
  const bool alike =
      std::any_of(bars.begin(), bars.end(), [&](const Bar& bar) { return !names.insert(bar.label).second; });
  if (alike) {
    bars = bars_of(table, {&kA1.model, &kA1.input, &kA1.gpu, &kA1.process}, kA1.latency_ms, &kA1.ci_low_ms,
                   &kA1.ci_high_ms);
  }
  const BarsSpec spec{"A1.latency", "Latency of a batch", "latency", cells.unit(kA1.latency_ms),
                      "model",      RemainingBars::kNote, false};
  auto figure = bars_figure(table, spec, bars);
  if (!figure) return {};
  const auto& longest = figure->series[0].points.front();
  std::string finding =
      fmt::format("{} takes {}", figure_name(figure->labels[0]), figure_quantity(longest.x, spec.unit));
  if (longest.low <= longest.high) {
    finding += fmt::format(", 95 % confidence interval {} to {}", figure_number(longest.low),
                           figure_quantity(longest.high, spec.unit));
  }
  figure->finding = sentences({finding});
  figure->note = sentences({figure->note, missing_note(table, kA1.latency_ms, "row")});
  return {std::move(*figure)};
}

}  // namespace xsp::analysis
