#include "bound/tables/bound_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analysis/tables/table_cells.h"
#include "base/quantity_text.h"
#include "base/text_encoding.h"
#include "bound/tables/bound_tables.h"
#include "bound/tables/doubt_findings.h"
#include "bound/tables/finding_texts.h"
#include "bound/tables/inefficiency_findings.h"
#include "bound/tables/measured_findings.h"
#include "bound/tables/run_doubts.h"
#include "bound/tables/shown_mode.h"
#include "bound/tables/source_notes.h"
#include "bound/tables/time_findings.h"
#include "bound/tables/what_if_findings.h"

namespace xsp::bound {
namespace {

using analysis::Finding;

/// Of the bound: other rounding that saves as much is told in the verdict.
constexpr double kRoundingCost = 0.02;

/// The model that findings are about.
const Bounds* largest(const BoundSubject& subject) {
  const auto found = std::max_element(
      subject.bounds.begin(), subject.bounds.end(),
      [](const Bounds& a, const Bounds& b) { return a.layers().sequential.bound_ms < b.layers().sequential.bound_ms; });
  return found == subject.bounds.end() ? nullptr : &*found;
}

/// The first row of its table that has the finding's key.
void find_row(const std::vector<analysis::Table>& tables, Finding* finding) {
  const auto table =
      std::find_if(tables.begin(), tables.end(), [&](const analysis::Table& one) { return one.id == finding->table; });
  if (table == tables.end() || finding->column.empty()) return;
  const auto column = analysis::find_column(*table, finding->column);
  for (size_t row = 0; column && row < table->rows.size() && !finding->row; ++row) {
    if (analysis::words_of(table->rows[row][*column]) == finding->key) finding->row = row;
  }
}

/// Doubts, then what could be saved of a call, or of the bound, then what is only told; then what threads that a run
/// of one thread does not have could save; notes behind all of them.
int place_of(const Finding& finding, const TimesSource& source) {
  if (finding.is_note) return 5;
  if (finding.id == "parallel-branches" && source.threads == 1 && !is_of_gpu(source)) return 4;
  if (!finding.share_pct) return 0;
  if (finding.share_of == "call") return 1;
  return finding.gain_ms ? 2 : 3;
}

std::string threads_of(const TimesSource& source) {
  return source.is_given || is_of_gpu(source) ? "" : " on " + plural(static_cast<size_t>(source.threads), "thread");
}

/// "the fused bound of 41.31 ms on 1 thread"; `joiner` is "of" or "is".
std::string bound_words(const TimesSource& source, const Bounds& bounds, Trust trust, std::string_view joiner) {
  const BoundMode& mode = shown_mode(bounds);
  return fmt::format("the {}bound {} {}{}{}{}", mode.name == "layers" ? "" : "fused ", joiner,
                     trust == Trust::kAbout ? "about " : "", duration(mode.sequential.bound_ms), threads_of(source),
                     mode.name == "layers" ? " layer by layer" : "");
}

/// Of the model's work, how much has a time: of its flops, else of its layers. Below that a factor misleads.
constexpr double kMostlyCovered = 80;

std::optional<double> covered_pct(const SequentialBound& bound) {
  return bound.coverage_flops_pct ? bound.coverage_flops_pct : bound.coverage_layers_pct;
}

/// "measured 67.58 ms, 1.6 times the fused bound of 41.31 ms on 1 thread (its layers at their least 56.64 ms, 1.4
/// times)". Without a factor where it would say nothing.
std::string measured_text(const TimesSource& source, const Bounds& bounds, Trust trust) {
  const double measured_ms = bounds.trace->measured_ms;
  const double least_ms = bounds.trace->measured_min_ms;
  const double bound_ms = shown_mode(bounds).sequential.bound_ms;
  const std::string what = bound_words(source, bounds, trust, "of");
  std::string text = fmt::format("measured {}", duration(measured_ms));
  if (const auto type = other_type_of_run(bounds)) {
    return text + fmt::format(" in {}; {} is of {}", printable(*type), what, type_of_model(bounds));
  }
  if (is_of_other_device(source, bounds)) {
    return text + fmt::format(" on {}; {} is of another device", printable(bounds.trace->device), what);
  }
  if (is_mostly_recording(bounds)) {
    return text + fmt::format(", of which recording {} that short takes a considerable part; {}",
                              plural(bounds.trace->layers.size(), "layer"), bound_words(source, bounds, trust, "is"));
  }
  if (const auto covered = covered_pct(shown_mode(bounds).sequential); covered && *covered < kMostlyCovered) {
    // The bound is of a part of what was measured.
    return text + fmt::format("; {} is of {} of the work only", what, percent(*covered / 100));
  }
  if (measured_ms < bound_ms) {
    return text + fmt::format(", less than {} (exceeded by {})", what, percent(bound_ms / measured_ms - 1));
  }
  const std::string_view about = trust == Trust::kAbout ? "about " : "";
  text += fmt::format(", {}{} times {}", about, times_text(measured_ms / bound_ms), what);
  if (least_ms > 0 && duration(least_ms) != duration(measured_ms)) {
    text +=
        fmt::format(" (its layers at their least {}, {} times)", duration(least_ms), times_text(least_ms / bound_ms));
  }
  return text;
}

/// "fused at least 37.1 ms a call on 1 thread (layer by layer 43.9 ms)".
std::string bound_text(const TimesSource& source, const Bounds& bounds, Trust trust) {
  const BoundMode& mode = shown_mode(bounds);
  std::string text = fmt::format("{} {} {} a call{}", words_for(mode), trust == Trust::kBound ? "at least" : "about",
                                 duration(mode.sequential.bound_ms), threads_of(source));
  if (mode.name != "layers") {
    text += fmt::format(" (layer by layer {})", duration(bounds.layers().sequential.bound_ms));
  }
  return text;
}

std::string verdict_of(const TimesSource& source, const Bounds& bounds) {
  const SequentialBound& bound = shown_mode(bounds).sequential;
  const bool is_measured = bounds.trace != nullptr && bounds.trace->measured_ms > 0;
  const std::string measured = is_measured ? fmt::format("measured {}", duration(bounds.trace->measured_ms)) : "";
  if (bounds.model->layers.empty() && is_measured) return measured + "; no model to find a bound of";
  std::string text = bounds.model->name + ": ";
  if (bound.layers != 0 && bound.missing == bound.layers) {
    return text + (is_measured ? measured + "; " : "") +
           fmt::format("no bound, none of its {} has a time", plural(bound.layers, "layer")) +
           (source.other_threads
                ? fmt::format(" with {} (--threads {} has them)", plural(static_cast<size_t>(source.threads), "thread"),
                              source.other_threads->threads)
                : "");
  }
  const Trust trust = trust_in(source, bounds);
  if (trust == Trust::kUnusable) {
    text += is_measured ? measured + "; " : "";
    text += fmt::format("no usable bound: most of the {}{} was measured while something disturbed it",
                        duration(bound.bound_ms), threads_of(source));
  } else {
    text +=
        is_measured && bound.bound_ms > 0 ? measured_text(source, bounds, trust) : bound_text(source, bounds, trust);
    if (bound.inexact != 0 && !source.is_given && bound.exact_ms - bound.bound_ms >= kRoundingCost * bound.bound_ms) {
      text += fmt::format(" · about {} without Winograd or FFT", duration(bound.exact_ms));
    }
    if (bound.expected_ms) text += fmt::format(" · about {} with operands from memory", duration(*bound.expected_ms));
  }
  if (bound.missing != 0) {
    text += fmt::format(" · {} of {} without a time", bound.missing, plural(bound.layers, "layer"));
  }
  return text;
}

}  // namespace

std::vector<Finding> bound_findings(const BoundSubject& subject, const std::vector<analysis::Table>& tables) {
  const Bounds* const main = largest(subject);
  std::vector<Finding> found;
  for (const Bounds& bounds : subject.bounds) {
    std::vector<Finding> of_model;
    find_doubts(subject.source, bounds, &of_model);
    if (&bounds == main && bounds.layers().sequential.bound_ms > 0 &&
        trust_in(subject.source, bounds) != Trust::kUnusable) {
      find_excess(subject.source, bounds, &of_model);
      find_times(subject.source, bounds, &of_model);
    }
    for (Finding& finding : of_model) {
      if (subject.has_several()) finding.text = bounds.model->name + ": " + finding.text;
      found.push_back(std::move(finding));
    }
  }
  add_inefficiency_findings(subject, &found);
  add_what_if_findings(subject, &found);
  // Of a run it is told what it did not fuse, not what fusing saves at all.
  const bool has_trace = std::ranges::any_of(subject.bounds, [](const Bounds& one) { return one.trace != nullptr; });
  std::erase_if(found, [&](const Finding& finding) { return has_trace && finding.id == "what-if-fused"; });
  std::ranges::stable_sort(found, [&](const Finding& a, const Finding& b) {
    return std::pair(place_of(a, subject.source), -a.weight) < std::pair(place_of(b, subject.source), -b.weight);
  });
  for (Finding& finding : found) find_row(tables, &finding);
  return found;
}

std::vector<Finding> shown_findings(std::vector<Finding> found) {
  size_t findings = 0, notes = 0;
  const auto all = static_cast<size_t>(std::ranges::count(found, false, &Finding::is_note));
  const bool has_more = all > analysis::kMostFindings;
  // One note tells of what is left out.
  const size_t most_notes = analysis::kMostNotes - (has_more ? 1 : 0);
  const std::string next = has_more ? found[analysis::kMostFindings].table : "";
  std::erase_if(found, [&](const Finding& finding) {
    return finding.is_note ? ++notes > most_notes : ++findings > analysis::kMostFindings;
  });
  if (has_more) {
    Finding& rest = found.emplace_back();
    rest.id = "more-findings";
    rest.text =
        fmt::format("{} of less weight: --format json has all", plural(all - analysis::kMostFindings, "more finding"));
    rest.table = next;  // of the first that is left out
    rest.is_note = true;
  }
  return found;
}

std::string bound_verdict(const BoundSubject& subject) {
  std::string text;
  for (const Bounds& bounds : subject.bounds) {
    text += (text.empty() ? "" : "; ") + verdict_of(subject.source, bounds);
  }
  return text;
}

}  // namespace xsp::bound
