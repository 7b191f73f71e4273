#include "bound/tables/path_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "analysis/figures/svg_text.h"
#include "base/quantity_text.h"
#include "base/text_encoding.h"
#include "bound/tables/box_graph.h"
#include "bound/tables/box_label.h"
#include "bound/tables/graph_routes.h"
#include "bound/tables/shown_mode.h"

namespace xsp::bound {
namespace {

using analysis::svg_text;

// The page's style gives colours to the classes; these, for light paper, are for where there is no style.
constexpr std::string_view kInk = "#1b1f24";
constexpr std::string_view kQuiet = "#59626e";
constexpr std::string_view kPathColor = "#d55e00";
constexpr std::string_view kBoxColor = "#edf3f8";
constexpr std::string_view kGridColor = "#d9dde3";
constexpr std::string_view kBarColor = "#0072b2";

constexpr double kPageWidth = 860;
constexpr double kNarrowWidth = 480;
constexpr double kMargin = 8;
constexpr double kLetterWidth = 6;  // about a letter's width
constexpr double kLine = 17;
constexpr size_t kTitleRoom = 15000;  // letters, for the titles of all boxes

size_t letters_in(double width) { return static_cast<size_t>(std::max(4.0, width / kLetterWidth)); }

/// What a box looks like.
enum class BoxLook { kPlain, kOnPath, kWithoutTime, kWithoutWork };

BoxLook look_of(const Box& box) {
  if (box.on_path) return BoxLook::kOnPath;
  if (box.counted == 0) return BoxLook::kWithoutWork;
  return box.missing > 0 ? BoxLook::kWithoutTime : BoxLook::kPlain;
}

class PathPicture {
 public:
  explicit PathPicture(const Bounds& bounds)
      : bounds_(bounds), mode_(shown_mode(bounds)), graph_(fold_layers(bounds)), routes_(routes_of(graph_)) {
    for (const Box& box : graph_.boxes) {
      if (!box.is_rest) dearest_ms_ = std::max({dearest_ms_, box.bound_ms, box.measured_ms.value_or(0)});
    }
    width_ =
        routes_.width + 2 * kMargin <= kNarrowWidth ? kNarrowWidth : std::max(kPageWidth, routes_.width + 2 * kMargin);
  }

  std::string svg() {
    write_legend();
    left_ = (width_ - routes_.width) / 2;
    write_edges();
    for (size_t box = 0; box < graph_.boxes.size(); ++box) write_box(box);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"{} width=\"{:.0f}\" viewBox=\"0 0 {:.0f} {:.0f}\" "
        "font-family=\"system-ui, sans-serif\" font-size=\"11\"><title>{}</title><desc>{}</desc>{}</svg>",
        width_ <= kNarrowWidth ? " class=\"xsp-narrow\"" : "", width_, width_, top_ + routes_.height + kMargin,
        svg_text(title()), svg_text(finding()), body_);
  }

 private:
  template <typename... Parts>
  void write(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(body_), format, std::forward<Parts>(parts)...);
  }

  std::string title() const {
    const std::string name = drawn_name(bounds_.model->name, 60);
    return name.empty() ? "Longest path" : "Longest path of " + name;
  }

  std::string finding() const {
    return fmt::format("{}{} of {} on the longest path, {} ms; all one after another, {} ms",
                       mode_.name == "layers" ? "" : "Layers fused: ", mode_.parallel.path.size(),
                       plural(bounds_.model->layers.size(), "layer"), four_digits(mode_.parallel.bound_ms),
                       four_digits(mode_.sequential.bound_ms));
  }

  /// What is not drawn as it is.
  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    const size_t drawn = bounds_.model->layers.size() - graph_.layers_left_out;
    if (graph_.boxes.size() < drawn) {
      notes.push_back(fmt::format("{} in {} {}: layers that follow one another without a branch{} share one",
                                  plural(drawn, "layer"), graph_.boxes.size(),
                                  graph_.boxes.size() == 1 ? "box" : "boxes",
                                  mode_.groups.empty() ? "" : ", or that are fused,"));
    }
    size_t rest = 0;
    for (const Box& box : graph_.boxes) rest += box.is_rest ? box.layers.size() : 0;
    if (rest > 0)
      notes.push_back(fmt::format("double boxes stand for {} that are too many to be drawn", plural(rest, "layer")));
    if (graph_.layers_left_out > 0) {
      notes.push_back(
          fmt::format("{} of constants and shapes alone not drawn", plural(graph_.layers_left_out, "layer")));
    }
    if (const size_t edges = graph_.edges_left_out + routes_.edges_left_out; edges > 0) {
      notes.push_back(fmt::format("{} not drawn", plural(edges, "edge")));
    }
    return notes;
  }

  void write_text(double x, std::string_view style, std::string_view text) {
    write("<text class=\"xsp-{}\" x=\"{:.0f}\" y=\"{:.0f}\" fill=\"{}\">{}</text>", style, x, top_,
          style == "ink" ? kInk : kQuiet, svg_text(text));
  }

  void write_legend() {
    top_ = kMargin + 10;
    double x = kMargin;
    const auto item = [&](BoxLook look, std::string_view text) {
      write_frame(x, top_ - 10, 18, 12, look);
      write_text(x + 24, "quiet", text);
      x += 24 + kLetterWidth * static_cast<double>(text.size()) + 18;
    };
    item(BoxLook::kOnPath, "longest path");
    item(BoxLook::kWithoutTime, "some have no time");
    item(BoxLook::kWithoutWork, "no work");
    write("<rect class=\"xsp-c1\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"18\" height=\"3\" fill=\"{}\"/>", x, top_ - 5,
          kBarColor);
    const bool is_wide = width_ > kNarrowWidth;
    write_text(x + 24, "quiet", is_wide ? "bound, against the dearest box; 12–14: layers by index" : "bound");
    if (bounds_.trace != nullptr) {
      top_ += kLine;
      write_measured_bar(kMargin, top_ - 5, 18);
      write_text(kMargin + 24, "quiet", is_wide ? "measured; 12–14: bound | measured" : "measured");
    }
    std::string line;
    const auto end_line = [&] {
      if (line.empty()) return;
      top_ += kLine;
      write_text(kMargin, "quiet", line);
      line.clear();
    };
    for (const std::string& note : notes()) {
      if (!line.empty() && line.size() + note.size() + 2 > letters_in(width_ - 2 * kMargin)) end_line();
      line += (line.empty() ? "" : "; ") + note;
    }
    end_line();
    top_ += kLine - 4;
  }

  /// The part above the bound is seen of it.
  void write_measured_bar(double x, double y, double width) {
    write(
        "<rect class=\"xsp-c8\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"3\" fill=\"{}\" opacity=\"0.5\"/>",
        x, y, width, kQuiet);
  }

  void write_frame(double x, double y, double width, double height, BoxLook look) {
    const bool on_path = look == BoxLook::kOnPath;
    const bool without_work = look == BoxLook::kWithoutWork;
    write(
        "<rect class=\"{}xsp-{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"4\" "
        "fill=\"{}\" stroke=\"{}\"{}{}/>",
        without_work ? "" : "xsp-shade ",
        on_path        ? "l2"
        : without_work ? "grid"
                       : "axis",
        x, y, width, height, without_work ? "none" : kBoxColor,
        on_path        ? kPathColor
        : without_work ? kGridColor
                       : kQuiet,
        on_path ? " stroke-width=\"2\"" : "", look == BoxLook::kWithoutTime ? " stroke-dasharray=\"4 3\"" : "");
  }

  void write_edges() {
    write("<g transform=\"translate({:.1f} {:.1f})\" fill=\"none\" stroke-linejoin=\"round\">", left_, top_);
    if (!routes_.edges.empty()) {
      write("<path class=\"xsp-axis\" d=\"{}\" stroke=\"{}\"/><path class=\"xsp-quiet\" d=\"{}\" fill=\"{}\"/>",
            routes_.edges, kQuiet, routes_.arrows, kQuiet);
    }
    if (!routes_.path.empty()) {
      write(
          "<path class=\"xsp-l2\" d=\"{}\" stroke=\"{}\" stroke-width=\"2.5\"/>"
          "<path class=\"xsp-c2\" d=\"{}\" fill=\"{}\"/>",
          routes_.path, kPathColor, routes_.path_arrows, kPathColor);
    }
    body_ += "</g>";
  }

  void write_box(size_t index) {
    constexpr double kHeight = DrawingMeasures::kBoxHeight;
    const Box& box = graph_.boxes[index];
    const double width = routes_.widths[index];
    const double x = left_ + routes_.x[index] - width / 2;
    const double y = top_ + routes_.y[index];
    const BoxLook look = look_of(box);
    const std::string_view style = look == BoxLook::kWithoutWork ? "quiet" : "ink";
    const std::string_view color = look == BoxLook::kWithoutWork ? kQuiet : kInk;
    const size_t letters = letters_in(width - 8);
    const size_t title_letters = std::clamp<size_t>(kTitleRoom / graph_.boxes.size(), 48, 240);
    write("<g><title>{}</title>", svg_text(box_title(box, *bounds_.model, title_letters)));
    if (box.is_rest) write_frame(x + 4, y + 4, width, kHeight, look);
    write_frame(x, y, width, kHeight, look);
    const double scale = dearest_ms_ > 0 && !box.is_rest ? (width - 8) / dearest_ms_ : 0;
    const double bar = box.bound_ms * scale;
    if (const double measured = box.measured_ms.value_or(0) * scale; measured >= 0.5) {
      write_measured_bar(x + 4, y + kHeight - 6, measured);
    }
    if (bar >= 0.5) {
      write("<rect class=\"xsp-c{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"3\" fill=\"{}\"/>",
            box.on_path ? 2 : 1, x + 4, y + kHeight - 6, bar, box.on_path ? kPathColor : kBarColor);
    }
    write("<text class=\"xsp-{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"{}\">{}</text>", style,
          x + width / 2, y + 13, color, svg_text(box_types(box, *bounds_.model, letters)));
    write(
        "<text class=\"xsp-quiet\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" font-size=\"10\" "
        "fill=\"{}\">{}</text></g>",
        x + width / 2, y + 25.5, kQuiet, svg_text(box_time(box, letters + 2)));
  }

  const Bounds& bounds_;
  const BoundMode& mode_;
  BoxGraph graph_;
  GraphRoutes routes_;
  double dearest_ms_ = 0;
  double width_ = 0;
  double left_ = 0;
  double top_ = 0;
  std::string body_;
};

}  // namespace

std::string path_svg(const Bounds& bounds) { return PathPicture(bounds).svg(); }

}  // namespace xsp::bound
