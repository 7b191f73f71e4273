#include "bound/tables/bound_report.h"

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "bound/tables/bound_findings.h"
#include "bound/tables/path_drawing.h"
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
  for (const Bounds& bounds : subject.bounds) {
    header.title += (header.title.empty() ? "" : ", ") + bounds.model->name;
    header.facts.push_back({"model", fmt::format("{}: {}, {} unique, {:.2f} M multiply-adds", bounds.model->path,
                                                 plural(bounds.model->layers.size(), "layer"),
                                                 bounds.model->unique.size(), bounds.model->multiply_adds / 1e6)});
    layers += bounds.model->layers.size();
    unique += bounds.model->unique.size();
    with_work += bounds.sequential.layers;
    if (bounds.sequential.missing != 0) {
      header.losses.push_back(fmt::format("{}: {} of {} without a time (B2)", bounds.model->name,
                                          bounds.sequential.missing, plural(bounds.sequential.layers, "layer")));
    }
  }
  header.title = "Bounds of " + header.title;
  header.line = fmt::format("{}, {} unique, {} with work", plural(layers, "layer"), unique, with_work);
  if (source.is_given) {
    header.line += " · times from " + source.path;
    header.facts.push_back({"times", source.path});
    return header;
  }
  header.line += " · " + library_list(source.libraries);
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
    drawings.push_back({subject.has_several() ? fmt::format("path-{}", i + 1) : "path",
                        subject.has_several() ? "Graph of " + bounds.model->name : "Graph and longest path",
                        path_svg(bounds),
                        fmt::format("The longest path has {} of {} and takes {} ms of {} ms.",
                                    bounds.parallel.path.size(), plural(bounds.model->layers.size(), "layer"),
                                    four_digits(bounds.parallel.bound_ms), four_digits(bounds.sequential.bound_ms))});
  }
  return drawings;
}

}  // namespace xsp::bound
