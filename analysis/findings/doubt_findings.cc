#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/findings/families.h"
#include "analysis/findings/trace_quality.h"
#include "analysis/tables/continuous_notes.h"
#include "analysis/tables/kernels_by_name.h"

namespace xsp::analysis {
namespace {

/// Doubts leave places for what the trace shows.
constexpr size_t kMostDoubts = 3;
/// A share of spans or launches that is lost or has no place. Smaller ones change no number of a report beyond its last
/// digit.
constexpr double kWorthSpansPct = 0.1;
/// What was launched before the recording began still counts as work of its device: it only has no layer.
constexpr double kWorthUnlaunchedPct = 10;
/// Weight of a loss below that: behind everything else, but reported if there is room.
constexpr double kSlight = 0.01;

double weight_of(double spans, double all, double worth_pct = kWorthSpansPct) {
  return 100 * spans >= worth_pct * all ? 1 : kSlight;
}

/// The profile was thinned out to a part of its operators: gaps between those are not idle time of the host.
void add_filtered(const Evidence& evidence, const TraceQuality& quality, std::vector<Finding>* findings) {
  const double recorded = quality.value("recorded_operators");
  const double removed = quality.value("removed_operators");
  if (!(removed > recorded / 2)) return;
  const double kept = recorded - removed;
  const auto digits = [](double count) { return grouped_digits(static_cast<uint64_t>(count)); };
  findings->push_back(quality_finding(
      "filtered-profile", "removed_operators", removed, 1,
      fmt::format("The profile was filtered: only {} of at least {} recorded operators and annotations "
                  "are left in the file ({})",
                  digits(kept), digits(recorded), share_text(100 * kept / recorded)),
      evidence.table(kA10).rows() == 0
          ? fmt::format("what the CPU did in the rest of the {} is not known", evidence.step_word())
          : "kernels may be missing too, so the GPU may be busier and communication less exposed; what the CPU did "
            "between the operators that are left is not known"));
  findings->back().is_note = true;
}

/// What is not in the trace; the worst is reported, the others counted.
void add_losses(const TraceQuality& quality, std::vector<Finding>* findings) {
  struct Loss {
    std::string_view quantity;
    std::string_view what;
    std::string_view of;  // all of the sort; empty: one is enough to doubt everything
    double worth_pct = kWorthSpansPct;
  };
  constexpr std::array kLosses = {
      Loss{"corrupt_packets", "{} damaged packet{s} left out", ""},
      Loss{"unreadable_bytes", "{} byte{s} of the trace cannot be read", ""},
      Loss{"sequence_gaps", "packets are missing in {} place{s} of the trace", ""},
      Loss{"incomplete_traces", "{} recording{s} did not finish, or stopped early", ""},
      Loss{"dropped", "{} span{s} dropped while recording", "spans"},
      Loss{"unmatched_launch", "{} launch{es} of kernels or graphs whose GPU activity is not in the trace", "launches"},
      Loss{"unmatched_execution", "{} GPU activities were launched before recording began, so they belong to no layer",
           "spans", kWorthUnlaunchedPct},
      Loss{"graph_nodes_lost", "{} graph node{s} lost: their kernels are in no layer", "spans"},
  };
  const Loss* worst = nullptr;
  double worst_weight = 0;
  double worst_value = 0;
  size_t further = 0;
  for (const Loss& loss : kLosses) {
    const double value = quality.value(loss.quantity);
    if (!(value > 0) || (loss.quantity == "unmatched_launch" && is_host_ahead(quality))) continue;
    const double weight = loss.of.empty() ? 1 : weight_of(value, quality.value(loss.of), loss.worth_pct);
    // The head of the report has it.
    if (loss.worth_pct > kWorthSpansPct && weight < 1) continue;
    if (worst != nullptr) ++further;
    if (worst != nullptr && weight <= worst_weight) continue;
    worst = &loss;
    worst_weight = weight;
    worst_value = value;
  }
  if (worst == nullptr) return;
  std::string text(worst->what);
  for (const std::string_view ending : {"{es}", "{s}"}) {
    const size_t at = text.find(ending);
    if (at == std::string::npos) continue;
    text.replace(at, ending.size(), worst_value == 1 ? "" : ending.substr(1, ending.size() - 2));
  }
  text.replace(text.find("{}"), 2, fmt::format("{:.0f}", worst_value));
  if (!worst->of.empty()) {
    const double all = quality.value(worst->of);
    text += fmt::format(" ({} % of {:.0f} {})", percent_text(100 * worst_value / all), all, worst->of);
  }
  if (further == 1) text += "; another kind of loss is in Q1";
  if (further > 1) text += fmt::format("; {} more kinds of loss are in Q1", further);
  findings->push_back(quality_finding("losses", worst->quantity, worst_value, worst_weight, std::move(text),
                                      "numbers may be too low; Q1 says why"));
}

void add_ambiguous(const TraceQuality& quality, std::vector<Finding>* findings) {
  const double ambiguous = quality.value("ambiguous");
  if (!(ambiguous > 0)) return;
  const double spans = quality.value("spans");
  findings->push_back(
      quality_finding("ambiguous-spans", "ambiguous", ambiguous, weight_of(ambiguous, spans),
                      fmt::format("{} inside several concurrent spans ({} % of all): the parent is uncertain",
                                  count_text(ambiguous, "span"), percent_text(100 * ambiguous / spans)),
                      "to find the parents with a serialised run: xsp-run --resolve -- COMMAND"));
}

void add_divergence(const TraceQuality& quality, std::vector<Finding>* findings) {
  const double places = quality.value("divergence");
  if (!(places > 0)) return;
  findings->push_back(quality_finding(
      "divergence", "divergence", places, 1,
      fmt::format("The runs of the set differ in {}: they did not all do the same work", count_text(places, "place")),
      "parts that differ are not joined; Q1 shows the first one"));
}

void add_failed(const TraceQuality& quality, std::vector<Finding>* findings) {
  const double failed = quality.value("failed_evaluations", "model");
  if (!(failed > 0)) return;
  findings->push_back(quality_finding("failed-evaluations", "failed_evaluations", failed, 1,
                                      fmt::format("{} of the model failed", count_text(failed, "call")),
                                      "no latency includes them"));
}

void add_killed(const TraceQuality& quality, std::vector<Finding>* findings) {
  const double killed = quality.value("processes_killed");
  if (!(killed > 0)) return;
  findings->push_back(
      quality_finding("killed-processes", "processes_killed", killed, 1,
                      fmt::format("{:.0f} of {:.0f} processes were killed, or replaced by exec, while recording",
                                  killed, quality.value("processes")),
                      "the end of their recordings may be missing"));
}

}  // namespace

void add_doubts(const Evidence& evidence, std::vector<Finding>* findings) {
  std::vector<Finding> doubts;
  const TraceQuality quality(evidence);
  if (quality.is_there()) {
    add_filtered(evidence, quality, &doubts);
    add_losses(quality, &doubts);
    add_ambiguous(quality, &doubts);
    add_divergence(quality, &doubts);
    add_failed(quality, &doubts);
    add_killed(quality, &doubts);
  }
  std::stable_sort(doubts.begin(), doubts.end(),
                   [](const Finding& a, const Finding& b) { return a.weight > b.weight; });
  if (doubts.size() > kMostDoubts) doubts.resize(kMostDoubts);
  findings->insert(findings->end(), doubts.begin(), doubts.end());
}

}  // namespace xsp::analysis
