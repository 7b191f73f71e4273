#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/svg_text.h"
#include "analysis/lanes/icicle.h"
#include "analysis/lanes/icicle_tree.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

constexpr double kWidth = 1000;
constexpr double kRowHeight = 22;
constexpr double kNarrowest = 2;    // what is narrower is left out
constexpr double kCharacter = 6.6;  // about as wide as one is
constexpr size_t kDepth = 5;

std::string_view color_of(IcicleNode::Kind kind) {
  switch (kind) {
    case IcicleNode::Kind::kType:
      return "var(--xsp-c1,#0072b2)";
    case IcicleNode::Kind::kLayer:
      return "var(--xsp-c3,#00926a)";
    case IcicleNode::Kind::kCall:
      return "var(--xsp-c4,#b57a00)";
    case IcicleNode::Kind::kKernel:
      return "var(--xsp-c2,#d55e00)";
    case IcicleNode::Kind::kModel:
    case IcicleNode::Kind::kRest:
      break;
  }
  return "var(--xsp-c8,#68717d)";
}

/// One drawing.
class Drawing {
 public:
  Drawing(const Icicle& icicle, bool by_latency)
      : icicle_(icicle), children_(children_of(icicle)), by_latency_(by_latency) {
    place(0, 0, kWidth, 0);
  }

  std::string svg() const {
    const double height = static_cast<double>(deepest_ + 2) * kRowHeight;
    const IcicleNode& root = icicle_.nodes.front();
    const std::string title = fmt::format("{}: {:.4g} ms, {}", printable(root.name), time(0),
                                          by_latency_ ? icicle_.latency_about : icicle_.kernel_about);
    std::string svg = fmt::format(
        "<svg role=\"img\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {:.0f}\" font-size=\"11\" "
        "font-family=\"system-ui,sans-serif\" aria-label=\"{}\">\n<title>{}</title>\n{}",
        kWidth, height + (narrow_ == 0 ? 0 : kRowHeight), svg_text(title), svg_text(title), body_);
    svg += fmt::format("<text x=\"0\" y=\"15\" fill=\"var(--xsp-quiet,#59626e)\">{}</text>\n", svg_text(title));
    if (narrow_ != 0) {
      svg += fmt::format(
          "<text x=\"0\" y=\"{:.0f}\" fill=\"var(--xsp-quiet,#59626e)\">{} narrower parts are not drawn</text>\n",
          height + 15, narrow_);
    }
    return svg + "</svg>\n";
  }

 private:
  double time(uint32_t node) const {
    const double ms = by_latency_ ? icicle_.nodes[node].latency_ms : icicle_.nodes[node].kernel_ms;
    return std::isnan(ms) ? 0 : ms;
  }

  void draw(uint32_t i, double x, double width, size_t depth) {
    const double y = static_cast<double>(depth + 1) * kRowHeight;
    const IcicleNode& node = icicle_.nodes[i];
    body_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\" fill-opacity=\"0.25\" "
        "stroke=\"var(--xsp-paper,#fff)\"/>\n",
        x, y, width, kRowHeight - 1, color_of(node.kind));
    const auto fits = static_cast<size_t>(std::max(0.0, width - 8) / kCharacter);
    if (fits < 4) return;
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.0f}\" fill=\"var(--xsp-ink,#1b1f24)\">{}</text>\n", x + 4, y + 15,
                         svg_text(shorten(printable(node.name), fits)));
  }

  void place(uint32_t i, double x, double width, size_t depth) {
    deepest_ = std::max(deepest_, depth);
    draw(i, x, width, depth);
    if (depth + 1 == kDepth) return;
    double sum = 0;
    for (const uint32_t child : children_[i]) sum += time(child);
    const double scale = width / std::max(sum, time(i));
    for (const uint32_t child : children_[i]) {
      const double wide = time(child) * scale;
      if (wide < kNarrowest) {
        narrow_ += time(child) > 0 ? 1 : 0;
        continue;
      }
      place(child, x, wide, depth + 1);
      x += wide;
    }
  }

  const Icicle& icicle_;
  std::vector<std::vector<uint32_t>> children_;
  bool by_latency_;
  std::string body_;
  size_t deepest_ = 0;
  size_t narrow_ = 0;
};

}  // namespace

std::string icicle_svg(const Icicle& icicle) {
  std::string svg;
  if (icicle.has_latency()) svg += Drawing(icicle, true).svg();
  if (icicle.has_kernels()) svg += Drawing(icicle, false).svg();
  return svg;
}

}  // namespace xsp::analysis
