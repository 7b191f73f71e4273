#include "bound/tables/inefficiency_findings.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <set>
#include <string>

#include "analysis/study/analysed_trace.h"
#include "base/units.h"
#include "bound/tables/finding_texts.h"

namespace xsp::bound {
namespace {

using analysis::Finding;

constexpr double kWorthTelling = 0.01;

/// How a kind is told: what ran, and what to do about it.
struct KindSentence {
  std::string_view id;
  std::string (*text)(const Inefficiency& one);
  std::string_view advice;
};

std::string missing_call_text(const Inefficiency& one) {
  return fmt::format("{} not by {}, but by {}", one.layer, one.expected.substr(one.expected.rfind(' ') + 1), one.seen);
}

std::string between_kernels_text(const Inefficiency& one) {
  const bool is_several = one.count > 1;
  const size_t by = one.seen.find(" by ");
  const std::string done = one.seen.substr(0, by), kernel = by == std::string::npos ? "" : one.seen.substr(by + 4);
  return fmt::format("{} {} {} by a kernel of {} own ({})", one.layer, is_several ? "are" : "is", done,
                     is_several ? "their" : "its", kernel);
}

std::string plain_text(const Inefficiency& one) { return fmt::format("{}: {}", one.layer, one.seen); }

/// By InefficiencyKind.
constexpr std::array<KindSentence, 8> kSentences = {{
    {"missing-library-call", missing_call_text, "a library that the program uses already computes such layers"},
    {"other-arguments", plain_text, "B6 tells what was expected"},
    {"extra-layout-change", plain_text, "keep tensors in the layout of the library; weights can be prepared once"},
    {"repeated-setup", plain_text, "make it once and keep it"},
    {"other-order", plain_text, "B6 tells which"},
    {"kernels-between-calls", between_kernels_text, "keep tensors in the layout and type that the library reads"},
    {"waits-between-calls", plain_text, "launch what follows without waiting"},
    {"host-gap", plain_text, "look at what the program does there"},
}};

const KindSentence& sentence_of(InefficiencyKind kind) { return kSentences[static_cast<size_t>(kind)]; }

/// Of what a share is told: all kernels where it is time of kernels, else the model.
struct Whole {
  double ms = 0;
  std::string_view name;
};

Whole whole_of(const Inefficiency& one, const JoinedTrace& trace) {
  const bool is_of_kernels = one.is_kernel_time && one.kind != InefficiencyKind::kBetweenCalls;
  if (is_of_kernels && trace.trace != nullptr && trace.trace->study) {
    return {trace.trace->study->kernels.latency_ns / kNsPerMs, "kernel time"};
  }
  return {trace.measured_ms, "the call"};
}

std::optional<Finding> inefficiency_finding(const Inefficiency& one, const JoinedTrace& trace) {
  const Whole whole = whole_of(one, trace);
  if (!(trace.measured_ms > 0) || !(whole.ms > 0) || one.time_ms < kWorthTelling * trace.measured_ms) return {};
  const KindSentence& sentence = sentence_of(one.kind);
  const double share = one.time_ms / whole.ms;
  Finding finding;
  finding.id = sentence.id;
  finding.text = fmt::format("{}: {} of {}", sentence.text(one), percent(share), whole.name);
  finding.advice = one.seen.starts_with("padded") ? "the library's call can pad by itself" : sentence.advice;
  finding.value = 100 * share;
  finding.unit = "%";
  finding.table = "B6";
  finding.column = "evidence";
  finding.key = one.evidence;
  finding.weight = one.time_ms / trace.measured_ms;
  finding.share_pct = 100 * finding.weight;
  finding.share_of = "call";
  return finding;
}

}  // namespace

void add_inefficiency_findings(const BoundSubject& subject, std::vector<analysis::Finding>* found) {
  std::optional<size_t> longest;
  for (size_t index = 0; index < subject.bounds.size() && index < subject.advice.size(); ++index) {
    const JoinedTrace* trace = subject.bounds[index].trace;
    if (trace == nullptr) continue;
    if (!longest || trace->measured_ms > subject.bounds[*longest].trace->measured_ms) longest = index;
  }
  if (!longest) return;
  std::set<InefficiencyKind> told;  // they come dearest first
  for (const Inefficiency& one : subject.advice[*longest].inefficiencies) {
    if (told.contains(one.kind)) continue;
    const auto finding = inefficiency_finding(one, *subject.bounds[*longest].trace);
    if (!finding) continue;
    told.insert(one.kind);
    found->push_back(*finding);
  }
}

}  // namespace xsp::bound
