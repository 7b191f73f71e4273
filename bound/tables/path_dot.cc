#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "base/quantity_text.h"
#include "base/text_encoding.h"
#include "bound/tables/box_label.h"
#include "bound/tables/path_drawing.h"
#include "bound/tables/shown_mode.h"

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

std::string_view dot_style(const LayerTime& time, bool is_timed, bool on_path) {
  if (on_path) return ", color=red, fontcolor=red, fontname=\"sans-serif bold\", penwidth=3";
  if (!time.counts) return ", color=gray, fontcolor=gray";
  return is_timed ? "" : ", style=dashed";
}

class DotGraph {
 public:
  explicit DotGraph(const Bounds& bounds)
      : bounds_(bounds),
        mode_(shown_mode(bounds)),
        measured_(measured_shares(bounds)),
        at_once_(mode_.group_of),
        on_path_(bounds.times.size()),
        before_(bounds.times.size(), kNotOnPath) {
    for (const size_t group : mode_.parallel.apart) {
      for (const size_t layer : bounds.groups[group].layers) at_once_[layer] = kNoGroup;
    }
    size_t before = kNotOnPath;
    for (const size_t layer : mode_.parallel.path) {
      const size_t at = last_of(layer);
      on_path_[layer] = true;
      if (at != before) before_[at] = before;
      before = at;
    }
  }

  std::string text() {
    dot_ = fmt::format("digraph \"{}\" {{\n  node [shape=box, fontname=\"sans-serif\"];\n",
                       dot_text(drawn_name(bounds_.model->name, kDotNameLetters)));
    for (size_t layer = 0; layer < bounds_.times.size(); ++layer) write_layer(layer);
    for (const size_t group : mode_.groups) write_frame(group);
    for (size_t layer = 0; layer < bounds_.times.size(); ++layer) {
      for (const size_t producer : bounds_.model->layers[layer].producers) {
        fmt::format_to(std::back_inserter(dot_), "  n{} -> n{}{};\n", producer, layer,
                       is_on_path(producer, layer) ? " [color=red, penwidth=3]" : "");
      }
    }
    return dot_ + "}\n";
  }

 private:
  static constexpr size_t kNotOnPath = SIZE_MAX;

  /// The layer that stands for a group that the path takes at once; else the layer itself.
  size_t last_of(size_t layer) const {
    return at_once_[layer] == kNoGroup ? layer : bounds_.groups[at_once_[layer]].layers.back();
  }

  bool is_on_path(size_t producer, size_t layer) const {
    if (!on_path_[producer] || !on_path_[layer]) return false;
    return last_of(producer) == last_of(layer) || before_[last_of(layer)] == last_of(producer);
  }

  std::string measured_text(std::optional<double> ms) const {
    return ms ? fmt::format("\\n{} ms measured", four_digits(*ms)) : "";
  }

  void write_layer(size_t index) {
    const Layer& layer = bounds_.model->layers[index];
    const LayerTime& time = bounds_.times[index];
    const std::optional<double>& ms = mode_.shares[index].bound_ms;
    std::string times;
    if (mode_.group_of[index] == kNoGroup) {
      times = "\\n" + (ms ? four_digits(*ms) + " ms" : "no time");
      if (!measured_.empty()) times += measured_text(measured_[index]);
    }
    fmt::format_to(std::back_inserter(dot_), "  n{} [label=\"{}\\n{}{}\"{}];\n", index,
                   dot_text(drawn_name(layer.name, kDotNameLetters)), dot_text(drawn_name(layer.type, kDotNameLetters)),
                   times, dot_style(time, ms.has_value(), on_path_[index]));
  }

  void write_frame(size_t index) {
    const FusedGroup& group = bounds_.groups[index];
    std::optional<double> measured;
    for (const size_t layer : group.layers) {
      if (!measured_.empty() && measured_[layer]) measured = measured.value_or(0) + *measured_[layer];
    }
    fmt::format_to(std::back_inserter(dot_),
                   "  subgraph cluster_{} {{ label=\"{}\\n{} ms{}\"; fontname=\"sans-serif\"; color=gray;", index,
                   dot_text(drawn_name(group.pattern, kDotNameLetters)),
                   four_digits(mode_.weights_ms[group.layers.back()]), measured_text(measured));
    for (const size_t layer : group.layers) fmt::format_to(std::back_inserter(dot_), " n{};", layer);
    dot_ += " }\n";
  }

  const Bounds& bounds_;
  const BoundMode& mode_;
  std::vector<std::optional<double>> measured_;
  std::vector<size_t> at_once_;  // by layer: the group that the path takes at once
  std::vector<bool> on_path_;
  std::vector<size_t> before_;  // by last layer: what is ahead of it on the path
  std::string dot_;
};

}  // namespace

std::string path_dot(const Bounds& bounds) { return DotGraph(bounds).text(); }

}  // namespace xsp::bound
