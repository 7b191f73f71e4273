#include "bound/tables/inefficiency_findings.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <set>
#include <string>

#include "analysis/study/analysed_trace.h"
#include "base/units.h"
#include "bound/tables/finding_texts.h"
#include "bound/tables/inefficiency_table.h"

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
  const std::string library = one.expected.substr(one.expected.rfind(' ') + 1);
  if (one.expected.starts_with("folded"))
    return fmt::format("{} {} not folded, but computed by {}", one.layer, one.count > 1 ? "are" : "is", one.seen);
  return fmt::format("{} not by {}, but by {}", one.layer, library, one.seen);
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
    {"extra-layout-change", plain_text, "keep tensors in the layout of the library"},
    {"repeated-setup", plain_text, "make it once and keep it"},
    {"other-order", plain_text, "B6 has the order that the model asks for"},
    {"kernels-between-calls", between_kernels_text, "keep tensors in the layout and type that the library reads"},
    {"waits-between-calls", plain_text, "launch what follows without waiting"},
    {"host-gap", plain_text, "look at what the program does there"},
}};

const KindSentence& sentence_of(InefficiencyKind kind) { return kSentences[static_cast<size_t>(kind)]; }

/// "5.0 % of the call, 9.3 % of its kernel time": the first is what B6 has.
std::string share_text(const Inefficiency& one, const JoinedTrace& trace) {
  std::string text = percent(one.time_ms / trace.measured_ms) + " of the call";
  const bool is_of_kernels = one.is_kernel_time && one.kind != InefficiencyKind::kBetweenCalls;
  if (!is_of_kernels || trace.trace == nullptr || !trace.trace->study) return text;
  const double kernels_ms = trace.trace->study->kernels.latency_ns / kNsPerMs;
  if (kernels_ms > 0) text += fmt::format(", {} of its kernel time", percent(one.time_ms / kernels_ms));
  return text;
}

/// What the layers take at least, by benchmarks; nothing where that of one of them is not known.
std::optional<double> bound_of_layers(const Inefficiency& one, const Bounds& bounds) {
  if (bounds.model == nullptr || bounds.modes.empty() || one.trace_layers.empty()) return {};
  double sum_ms = 0;
  for (const size_t layer : one.trace_layers) {
    if (layer >= bounds.trace->layers.size()) return {};
    const auto bound_ms = bound_of(bounds, bounds.fused(), bounds.trace->layers[layer]);
    if (!bound_ms) return {};
    sum_ms += *bound_ms;
  }
  return sum_ms;
}

std::optional<Finding> inefficiency_finding(const Inefficiency& one, const Bounds& bounds) {
  const JoinedTrace& trace = *bounds.trace;
  if (!(trace.measured_ms > 0) || one.time_ms < kWorthTelling * trace.measured_ms) return {};
  const KindSentence& sentence = sentence_of(one.kind);
  Finding finding;
  finding.id = sentence.id;
  finding.text = fmt::format("{}: {}", sentence.text(one), share_text(one, trace));
  finding.advice = one.advice.empty() ? sentence.advice : one.advice;
  finding.weight = one.time_ms / trace.measured_ms;
  // The layers have to be computed anyway, by whatever library.
  const bool is_work = one.kind == InefficiencyKind::kMissingCall && !one.is_kernel_time;
  if (const auto bound_ms = is_work ? bound_of_layers(one, bounds) : std::nullopt) {
    finding.gain_ms = one.time_ms - *bound_ms;
    finding.weight = *finding.gain_ms / trace.measured_ms;
    if (finding.weight < kWorthTelling) return {};
    finding.text +=
        fmt::format("; they took {} and, by benchmarks, need at least {}", duration(one.time_ms), duration(*bound_ms));
  } else if (is_work) {
    finding.text += "; how much of that could be saved is not known";
  }
  finding.value = 100 * one.time_ms / trace.measured_ms;
  finding.unit = "%";
  finding.table = kB6.id;
  finding.column = kB6.evidence.name;
  finding.key = one.evidence;
  finding.share_pct = finding.value;
  finding.share_of = "call";
  return finding;
}

/// Of a run without a model: what was looked at, and where more is told.
Finding run_alone_note(const JoinedTrace& trace, bool has_findings) {
  Finding finding;
  finding.id = "no-model";
  finding.is_note = true;
  finding.table = kB6.id;
  if (trace.trace != nullptr && trace.trace->study && trace.trace->study->has_single_calls()) {
    finding.text = "The trace has no calls of a model, so that what a framework does in each of them is not known";
  } else if (has_findings) {
    finding.text =
        "Without a model, only what the framework could do otherwise is told, not how fast its layers could be";
  } else if (trace.has_library_calls || trace.is_on_gpu()) {
    finding.text = "Nothing was found that takes 1 % of a call and that the layers do not ask for";
  } else {
    finding.text = "The trace has no calls into compute libraries: nothing tells what they are asked for";
  }
  finding.advice = fmt::format(
      "xsp-report {} says where the time goes; with the model's ONNX file, each layer is compared with its bound",
      trace.path);
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
    const auto finding = inefficiency_finding(one, subject.bounds[*longest]);
    if (!finding) continue;
    told.insert(one.kind);
    found->push_back(*finding);
  }
  const Bounds& bounds = subject.bounds[*longest];
  const bool is_run_alone = bounds.model != nullptr && bounds.model->layers.empty();
  if (is_run_alone) found->push_back(run_alone_note(*bounds.trace, !told.empty()));
}

}  // namespace xsp::bound
