#include <fmt/format.h>

#include <algorithm>

#include "bound/problems/problem.h"
#include "bound/tables/bound_analyses.h"
#include "bound/tables/bound_tables.h"
#include "bound/tables/problem_groups.h"

namespace xsp::bound {
namespace {

using analysis::Cell;
using analysis::cell;
using analysis::count_cell;
using analysis::TableRow;

std::string joined(const std::vector<int64_t>& dimensions) { return fmt::format("{}", fmt::join(dimensions, "x")); }

/// "64x56x56 to 128, 3x3 /2x2": an image without its batch, the channels that come out, the kernel, the strides.
std::string convolution_shapes(const Problem& problem) {
  std::vector<int64_t> image = problem.dimensions("src");
  std::vector<int64_t> kernel = problem.dimensions("wei");
  if (image.size() < 3 || kernel.size() < 3) return "";
  const int64_t batch = image.front();
  const int64_t channels = problem.kind() == "deconv" ? kernel[1] * problem.integer("groups", 1) : kernel.front();
  image.erase(image.begin());
  kernel.erase(kernel.begin(), kernel.begin() + 2);
  std::string shapes = batch == 1 ? "" : fmt::format("{} of ", batch);
  shapes += fmt::format("{} to {}, {}", joined(image), channels, joined(kernel));
  const std::vector<int64_t> strides = problem.dimensions("strides");
  if (std::any_of(strides.begin(), strides.end(), [](int64_t stride) { return stride != 1; })) {
    shapes += " /" + joined(strides);
  }
  if (problem.integer("groups", 1) > 1) shapes += fmt::format(", {} groups", problem.integer("groups"));
  return shapes;
}

/// What it is computed of, as short as people say it.
std::string shapes_of(const std::string& text) {
  const auto problem = Problem::parse(text);
  if (!problem) return "";
  if (problem->kind() == "conv" || problem->kind() == "deconv") return convolution_shapes(*problem);
  std::string shapes;
  for (const std::string_view field : {"src", "src0", "srcs", "in"}) {
    if (problem->has(field)) shapes = problem->field(field);
    if (!shapes.empty()) break;
  }
  for (const std::string_view field : {"wei", "src1"}) {
    if (problem->has(field)) shapes += fmt::format(" * {}", problem->field(field));
  }
  if (problem->has("kernel")) shapes += fmt::format(", {}", problem->field("kernel"));
  return shapes;
}

/// Without the provider that ONNX Runtime's names have behind them.
std::string short_name(const std::string& implementation) {
  return implementation.substr(0, implementation.find(" ("));
}

}  // namespace

Table problems_table(const BoundSubject& subject) {
  Table table = make_table(kB1Problems);
  // It is no part of another table here.
  table.id = kB1Problems.id;
  for (const Bounds& bounds : subject.bounds) {
    for (const ProblemGroup& group : problem_groups(bounds)) {
      const Layer& layer = bounds.model->layers[group.first];
      const LayerTime& time = bounds.times[group.first];
      const double each_ms = group.bound_ms / static_cast<double>(group.layers);
      TableRow row = table.add_row();
      row.set(kB1Problems.unique, count_cell(layer.unique));
      row.set(kB1Problems.type, layer.type);
      row.set(kB1Problems.shapes, shapes_of(layer.problem));
      row.set(kB1Problems.layers, count_cell(group.layers));
      row.set(kB1Problems.bound_ms, cell(group.bound_ms));
      if (bounds.layers().sequential.bound_ms > 0) {
        row.set(kB1Problems.bound_pct, cell(100 * group.bound_ms / bounds.layers().sequential.bound_ms));
      }
      row.set(kB1Problems.each_ms, cell(each_ms));
      row.set(kB1Problems.expected_ms, cell(time.expected_ms));
      if (layer.flops.value_or(0) > 0 && each_ms > 0) {
        row.set(kB1Problems.gflop_per_s, cell(*layer.flops / each_ms / 1e6));
      }
      if (!time.library.empty()) row.set(kB1Problems.library, time.library);
      if (!time.implementation.empty()) row.set(kB1Problems.implementation, short_name(time.implementation));
      if (!time.library.empty()) row.set(kB1Problems.noisy, time.is_noisy);
      if (subject.has_several()) row.set(kB1Problems.model, bounds.model->name);
    }
  }
  leave_out_empty_columns(&table);
  return table;
}

}  // namespace xsp::bound
