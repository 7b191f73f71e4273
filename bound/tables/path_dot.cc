#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <vector>

#include "base/quantity_text.h"
#include "base/text_encoding.h"
#include "bound/tables/box_label.h"
#include "bound/tables/path_drawing.h"

namespace xsp::bound {
namespace {

constexpr size_t kDotNameLetters = 200;

/// Inside of quotes: Graphviz takes backslashes for escapes and & for the begin of an entity.
std::string dot_text(std::string_view printable_text) {
  std::string quoted;
  for (const char c : printable_text) {
    if (c == '&') {
      quoted += "&amp;";
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted;
}

std::string dot_label(const Layer& layer, const LayerTime& time) {
  const std::string duration = time.bound_ms ? four_digits(*time.bound_ms) + " ms" : "no time";
  return fmt::format("{}\\n{}\\n{}", dot_text(drawn_name(layer.name, kDotNameLetters)),
                     dot_text(drawn_name(layer.type, kDotNameLetters)), duration);
}

std::string_view dot_style(const LayerTime& time, bool on_path) {
  if (on_path) return ", color=red, fontcolor=red, fontname=\"sans-serif bold\", penwidth=3";
  if (!time.counts) return ", color=gray, fontcolor=gray";
  return time.bound_ms ? "" : ", style=dashed";
}

}  // namespace

std::string path_dot(const Bounds& bounds) {
  constexpr size_t kNotOnPath = SIZE_MAX;
  const std::vector<Layer>& layers = bounds.model->layers;
  const std::vector<size_t>& path = bounds.parallel.path;
  std::vector<bool> on_path(layers.size());
  std::vector<size_t> before(layers.size(), kNotOnPath);  // on the path
  for (size_t step = 0; step < path.size(); ++step) {
    on_path[path[step]] = true;
    if (step > 0) before[path[step]] = path[step - 1];
  }
  std::string dot = fmt::format("digraph \"{}\" {{\n  node [shape=box, fontname=\"sans-serif\"];\n",
                                dot_text(drawn_name(bounds.model->name, kDotNameLetters)));
  const auto out = std::back_inserter(dot);
  for (size_t layer = 0; layer < layers.size(); ++layer) {
    fmt::format_to(out, "  n{} [label=\"{}\"{}];\n", layer, dot_label(layers[layer], bounds.times[layer]),
                   dot_style(bounds.times[layer], on_path[layer]));
  }
  for (size_t layer = 0; layer < layers.size(); ++layer) {
    for (const size_t producer : layers[layer].producers) {
      fmt::format_to(out, "  n{} -> n{}{};\n", producer, layer,
                     producer == before[layer] ? " [color=red, penwidth=3]" : "");
    }
  }
  dot += "}\n";
  return dot;
}

}  // namespace xsp::bound
