#include "analysis/html/lanes_section.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "analysis/html/html_text.h"
#include "analysis/html/packed_data.h"
#include "analysis/lanes/icicle.h"
#include "analysis/lanes/timeline_data.h"

namespace xsp::analysis {
namespace {

constexpr std::string_view kNoSpans =
    "<p class=\"missing\">This trace has no spans; it needs a program that calls a model, which xsp-run -- COMMAND "
    "records.</p>\n";

void begin_section(std::string_view id, std::string_view title, ByteSink* sink) {
  sink->write(
      fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-head\">\n<h2 id=\"{0}-head\">{1}</h2>\n", id, title));
}

void end_section(ByteSink* sink) { sink->write("</section>\n"); }

}  // namespace

void write_lanes_sections(const AnalysedTrace& analysed, ByteSink* sink) {
  const size_t spans = analysed.trace.spans.size();
  begin_section("timeline", "Timeline", sink);
  sink->write(
      spans == 0
          ? std::string(kNoSpans)
          : fmt::format("<p class=\"static\">The timeline of {} needs scripts; <code>xsp-report --export perfetto "
                        "TRACE</code> writes it for Perfetto’s viewer.</p>\n",
                        counted(spans, "span")));
  end_section(sink);
  begin_section("icicle", "Icicle", sink);
  const std::string drawing = analysed.study ? icicle_svg(icicle_of(*analysed.study)) : "";
  if (!drawing.empty()) {
    sink->write(fmt::format("<div class=\"static\">\n{}</div>\n", drawing));
  } else if (spans == 0) {
    sink->write(kNoSpans);
  } else {
    sink->write(
        "<p class=\"missing\">No time to draw: this trace has neither layers nor kernels of a model, which "
        "xsp-run -- COMMAND records.</p>\n");
  }
  end_section(sink);
}

void write_packed_lanes(const AnalysedTrace& analysed, ByteSink* sink) {
  PackedData timeline("xsp-timeline", sink);
  timeline.write(timeline_json(analysed));
  timeline.finish();
  PackedData icicle("xsp-icicle", sink);
  icicle.write(icicle_json(analysed));
  icicle.finish();
}

}  // namespace xsp::analysis
