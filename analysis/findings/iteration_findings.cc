#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/findings/families.h"

namespace xsp::analysis {
namespace {

/// How a check of D4 reads as a finding. Its value is a share of time but where `counts`.
struct Told {
  std::string_view diagnosis;
  std::string_view id;
  std::string_view text;
  bool is_share = true;  // of the loop's time; else it only ranks behind what is
};

constexpr std::array kTold = {
    Told{"warm_up", "iteration-warm-up", "the first iterations are slow"},
    Told{"graph_growth", "graph-growth", "the host takes longer from iteration to iteration"},
    Told{"drift", "iteration-drift", "iterations take longer and longer"},
    Told{"input_stall", "input-stall", "the host is late for some iterations"},
    Told{"periodic_work", "periodic-work", "every few iterations do more", false},
    Told{"outliers", "iteration-outliers", "some iterations are much longer", false},
    Told{"copy_bound", "copy-bound", "iterations wait for copies"},
    Told{"host_bound", "host-bound", "the device waits for the host between iterations"},
    Told{"launch_bound", "launch-bound-iterations", "the device waits between the kernels of an iteration"},
};

/// What is no share of the time ranks as if it were this.
constexpr double kSmallWeight = 0.02;
constexpr double kPct = 100;

}  // namespace

void add_iteration_findings(const Evidence& evidence, std::vector<Finding>* findings) {
  const EvidenceTable checks = evidence.table("D4");
  std::vector<std::string> told;
  for (size_t row = 0; row < checks.rows(); ++row) {
    const std::string diagnosis = checks.text(row, "diagnosis");
    const auto* kind =
        std::find_if(kTold.begin(), kTold.end(), [&](const Told& t) { return t.diagnosis == diagnosis; });
    const auto value = checks.number(row, "value");
    if (kind == kTold.end() || !value || !checks.truth(row, "found").value_or(false)) continue;
    // Of several loops the first one's stands for all: a finding points to the first row of its key.
    if (std::find(told.begin(), told.end(), diagnosis) != told.end()) continue;
    told.push_back(diagnosis);
    findings->push_back({.id = std::string(kind->id),
                         .text = fmt::format("{}: {}", kind->text, checks.text(row, "evidence")),
                         .advice = checks.text(row, "advice"),
                         .value = *value,
                         .unit = checks.text(row, "unit"),
                         .table = "D4",
                         .column = "diagnosis",
                         .key = diagnosis,
                         .weight = kind->is_share ? std::clamp(*value / kPct, 0.0, 1.0) : kSmallWeight});
  }
}

}  // namespace xsp::analysis
