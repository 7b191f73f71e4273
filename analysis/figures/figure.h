#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "analysis/tables/table.h"

namespace xsp::analysis {

/// The shape of a figure: what the page draws and how a reader works with it.
enum class FigureKind {
  kLines,     // A1: values over a sweep, marks at the optimum
  kColumns,   // A3, A4, A11, A12: values in order of execution, with stages; several panels share the x axis
  kBars,      // A5, A6, A7, A10: horizontal bars by name, longest first, with cumulative share where it is a Pareto
  kStacked,   // A13: parts of a whole by layer
  kRoofline,  // A9, A14, A15, M1: log-log, area by time, roofs by data type
  kNested,    // L1: the events of each level set inside one another
  kStrip,     // D1: what follows one another along time, levels in rows
  kStates,    // D2: states as nodes, and what leads from one to the next
};

struct Axis {
  std::string label;
  std::string unit;
  enum class Scale { kLinear, kLog2, kLog10, kCategory } scale = Scale::kLinear;
};

/// The row of a point that stands for no single row, such as a bar that sums up many.
inline constexpr size_t kOfNoRow = SIZE_MAX;
inline constexpr double kNoBound = std::numeric_limits<double>::quiet_NaN();

/// `row` is the row of the table, for a selection; `size` the time behind a point of a roofline. kBars: the bar is at y
/// and as long as x. kNested: from x on, `size` long, its name is labels[y].
struct FigurePoint {
  double x = 0;
  double y = 0;
  double size = 0;
  size_t row = 0;
  double low = kNoBound, high = kNoBound;  // the confidence interval of the value, where the table has one
  uint32_t count = 1;                      // kStrip: how many it stands for, `row` is the longest of them
};

/// In kBars a series whose unit is not that of the axis is a share, 0 to 100 %, with a scale of its own.
struct Series {
  std::string name;
  std::string unit;
  size_t panel = 0;  // from the top
  std::vector<FigurePoint> points = {};
  size_t depth = 0;     // kNested, kStrip: how many bands below the top of its panel
  bool muted = false;   // kNested, kStrip: drawn pale
  bool marked = false;  // kStrip: each point has a mark of its own, and is never merged
  size_t color = 0;     // kStrip: 0 to 7

  // Of a roofline, whose points of one series have all of these in common. Empty: not known.
  std::string roof = {};    // data type and, where Figure::roofs has one, the name of their roof
  std::string bound = {};   // "memory", "compute"
  std::string source = {};  // of flops and bytes: "counters", "analytic"
};

/// A horizontal roof of a data type and the slope of the memory's bandwidth below it.
struct Roof {
  std::string name;          // "f16", "f32"
  double peak = 0;           // TFLOPS
  double bandwidth_gbs = 0;  // GB/s
};

/// A stretch of the x axis with a name: a stage (beginning, middle, end).
struct Region {
  std::string name;
  double from = 0;
  double to = 0;
};

/// A vertical mark: the optimal batch size.
struct Mark {
  std::string name;
  double x = 0;
};

/// An arrow from one label to another.
struct Link {
  size_t from = 0;
  size_t to = 0;
  size_t panel = 0;
  std::string name;
};

/// A row with a name, for what stands beside a plot.
struct NamedRow {
  size_t row = 0;
  std::string name;
};

/// A picture of one table (or of a part of it). Data of all renderers: the static SVG and the canvas draw the same.
struct Figure {
  std::string id;     // "A3.latency": the table's id, a dot, a word
  std::string table;  // whose rows its points are
  std::string title;
  std::string finding;  // what it shows, in a sentence with a number: the picture's alternative text
  FigureKind kind = FigureKind::kColumns;
  Axis x;
  std::vector<Axis> y;  // by panel
  std::vector<Series> series;
  std::vector<std::string> labels;  // kColumns, kStacked: by row of the table; kBars, kNested, kStates: by y
  std::vector<Roof> roofs;
  std::vector<Region> regions;
  std::vector<Mark> marks;
  std::vector<Link> links;  // kStates

  // Of a roofline.
  double total = 0;                        // time of all rows, drawn or not, in the unit of FigurePoint::size
  std::vector<NamedRow> listed;            // numbered in the plot and named beside it, from 1
  std::vector<std::vector<size_t>> paths;  // rows joined by a line: a model over its batch sizes

  std::string note;  // what is not drawn, and why; empty: everything is
};

/// The figures of a table, none where it has no data for them.
std::vector<Figure> figures_of(const Table& table);

/// A drawing for pages without scripts, mail and print: `<svg role="img">` with a title, colours by CSS variables of
/// the page, all text escaped, at most some hundreds of marks (what is merged is said in it).
std::string svg_of(const Figure& figure);

/// The same data for the page's script.
std::string json_of(const Figure& figure);

}  // namespace xsp::analysis
