#include "bound/tables/bound_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quantity_text.h"
#include "bound/tables/bound_findings.h"
#include "bound/tables/measured_bars.h"
#include "bound/tables/path_drawing.h"
#include "bound/tables/shown_mode.h"
#include "bound/tables/source_notes.h"

namespace xsp::bound {
namespace {

analysis::ReportHeader header_of(const BoundSubject& subject) {
  const TimesSource& source = subject.source;
  analysis::ReportHeader header;
  header.facts_head = "What this is of";
  header.losses_head = "Missing from these bounds";
  header.complete = "Nothing: each layer that needs time has one.";
  size_t layers = 0;
  size_t unique = 0;
  size_t with_work = 0;
  bool is_run_alone = false;  // without a model
  for (const Bounds& bounds : subject.bounds) {
    if (bounds.trace != nullptr) {
      header.facts.push_back({"trace", fmt::format("{}: {}, {}", bounds.trace->path, bounds.trace->subject,
                                                   plural(bounds.trace->evaluations, "call"))});
    }
    if (bounds.model->layers.empty() && bounds.trace != nullptr) {
      header.title += (header.title.empty() ? "" : ", ") + bounds.trace->subject;
      is_run_alone = true;
      continue;
    }
    header.title += (header.title.empty() ? "" : ", ") + bounds.model->name;
    header.facts.push_back({"model", fmt::format("{}: {}, {} unique, {:.2f} M multiply-adds", bounds.model->path,
                                                 plural(bounds.model->layers.size(), "layer"),
                                                 bounds.model->unique.size(), bounds.model->multiply_adds / 1e6)});
    layers += bounds.model->layers.size();
    unique += bounds.model->unique.size();
    with_work += shown_mode(bounds).sequential.layers;
    if (shown_mode(bounds).sequential.missing != 0) {
      header.losses.push_back(fmt::format("{}: {} of {} without a time (B2)", bounds.model->name,
                                          shown_mode(bounds).sequential.missing,
                                          plural(shown_mode(bounds).sequential.layers, "layer")));
    }
  }
  header.title = (is_run_alone ? "Run of " : "Bounds of ") + header.title;
  header.line = fmt::format("{}, {} unique, {} with work", plural(layers, "layer"), unique, with_work);
  if (is_run_alone) {
    header.line = "no model";
    header.complete = "Nothing is known of it: there is no model.";
  }
  if (source.is_given) {
    header.line += " · times from " + source.path;
    header.facts.push_back({"times", source.path});
    return header;
  }
  if (!is_run_alone || !source.libraries.empty()) header.line += " · " + library_list(source.libraries);
  if (source.exact) header.line += " · exact rounding only";
  if (source.measured != 0) header.line += fmt::format(" · {} made now", plural(source.measured, "benchmark"));
  header.facts.push_back({source.is_this_system ? "machine" : "machine (another one)", source.system});
  header.facts.push_back({"threads", std::to_string(source.threads)});
  header.facts.push_back({"libraries", library_list(source.libraries)});
  header.facts.push_back({"database", source.path});
  return header;
}

}  // namespace

analysis::Report bound_report(const BoundSubject& subject, const std::vector<const BoundAnalysis*>& analyses) {
  analysis::Report report;
  for (const BoundAnalysis* analysis : analyses) report.tables.push_back(analysis->compute(subject));
  report.header = header_of(subject);
  report.findings = bound_findings(subject, report.tables);
  report.verdict = bound_verdict(subject);
  return report;
}

std::vector<analysis::PageDrawing> path_drawings(const BoundSubject& subject) {
  std::vector<analysis::PageDrawing> drawings;
  for (size_t i = 0; i < subject.bounds.size(); ++i) {
    const Bounds& bounds = subject.bounds[i];
    if (bounds.model->layers.empty()) continue;
    const BoundMode& mode = shown_mode(bounds);
    const std::string number = subject.has_several() ? fmt::format("-{}", i + 1) : "";
    const std::string of = subject.has_several() ? " of " + bounds.model->name : "";
    if (std::string bars = bars_svg(bounds); !bars.empty()) {
      drawings.push_back(
          {"bars" + number, (bounds.trace == nullptr ? "Bounds by type of layer" : "Measured against bounds") + of,
           std::move(bars), "Times of a group of layers are divided among its layers as these are by themselves."});
    }
    drawings.push_back(
        {"path" + number, subject.has_several() ? "Graph" + of : "Graph and longest path", path_svg(bounds),
         fmt::format(
             "The longest path has {} of {} with work and takes {} ms of {} ms{}.",
             std::ranges::count_if(mode.parallel.path, [&](size_t layer) { return bounds.times[layer].counts; }),
             plural(mode.sequential.layers, "layer"), four_digits(mode.parallel.bound_ms),
             four_digits(mode.sequential.bound_ms), mode.name == "layers" ? "" : ", with layers fused")});
  }
  return drawings;
}

}  // namespace xsp::bound
