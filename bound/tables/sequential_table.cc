#include <fmt/format.h>

#include <algorithm>

#include "base/quantity_text.h"
#include "bound/tables/bound_analyses.h"
#include "bound/tables/bound_tables.h"
#include "bound/tables/doubt_findings.h"
#include "bound/tables/finding_texts.h"
#include "bound/tables/run_doubts.h"
#include "bound/tables/shown_mode.h"
#include "bound/tables/source_notes.h"

namespace xsp::bound {

using analysis::Cell;
using analysis::cell;
using analysis::count_cell;
using analysis::TableRow;

namespace {

constexpr std::string_view kOwnKernels = "own_kernels";

void add_mode(const BoundSubject& subject, const Bounds& bounds, std::string_view mode, const SequentialBound& bound,
              Table* table) {
  const bool has_bound = bound.missing < bound.layers || (bound.layers == 0 && !bounds.model->layers.empty());
  TableRow row = table->add_row();
  row.set(kB3.mode, std::string(mode));
  row.set(kB3.bound_ms, has_bound ? cell(bound.bound_ms) : Cell());
  row.set(kB3.expected_ms, cell(bound.expected_ms));
  row.set(kB3.layers, count_cell(bound.layers));
  row.set(kB3.missing, count_cell(bound.missing));
  row.set(kB3.coverage_layers_pct, cell(bound.coverage_layers_pct));
  row.set(kB3.coverage_flops_pct, cell(bound.coverage_flops_pct));
  row.set(kB3.noisy, subject.source.is_given ? Cell() : count_cell(bound.noisy));
  if (subject.has_several()) row.set(kB3.model, bounds.model->name);
  if (bounds.trace == nullptr || !(bounds.trace->measured_ms > 0)) return;
  const double measured_ms = bounds.trace->measured_ms;
  row.set(kB3.measured_ms, cell(measured_ms));
  row.set(kB3.measured_min_ms, bounds.trace->measured_min_ms > 0 ? cell(bounds.trace->measured_min_ms) : Cell());
  if (!has_bound || !(bound.bound_ms > 0)) return;
  row.set(kB3.normalized_pct, cell(100 * bound.bound_ms / measured_ms));
  row.set(kB3.speedup, cell(measured_ms / bound.bound_ms));
}

void add_missing_note(const SequentialBound& bound, const std::string& of, Table* table) {
  if (bound.missing == 0) return;
  table->notes.push_back(
      fmt::format("{}{} without a time {} nothing to the bound, which is lower for it (B2 tells why)", of,
                  plural(bound.missing, "layer"), bound.missing == 1 ? "adds" : "add"));
}

/// What the expected time of a bound lacks, or why there is none; empty where it lacks nothing, or nothing can be told.
std::string expected_note(const SequentialBound& bound) {
  if (bound.without_cold == 0) return "";
  const std::string layers = plural(bound.without_cold, "layer");
  return bound.expected_ms ? fmt::format("{} {} in expected_ms with the time of bound_ms: none from memory is known",
                                         layers, bound.without_cold == 1 ? "counts" : "count")
                           : fmt::format("no expected_ms: of {} ({}) no time from memory is known", layers,
                                         duration(bound.without_cold_ms));
}

/// Of each mode; those of which the same is true are told at once.
void add_expected_notes(const Bounds& bounds, const std::string& of, Table* table) {
  std::vector<std::pair<std::string, std::string>> notes;  // what is true, and of which modes
  const auto add = [&](std::string_view mode, const std::string& text) {
    if (text.empty()) return;
    const auto known = std::ranges::find(notes, text, &std::pair<std::string, std::string>::first);
    if (known == notes.end()) {
      notes.emplace_back(text, mode);
    } else {
      known->second += fmt::format(", {}", mode);
    }
  };
  for (const BoundMode& mode : bounds.modes) {
    const SequentialBound& bound = mode.sequential;
    // Without a single one there is no such column.
    if (bound.without_cold < bound.layers - bound.missing) add(mode.name, expected_note(bound));
  }
  if (bounds.own_kernels) add(kOwnKernels, expected_note(bounds.own_kernels->bound));
  for (const auto& [text, modes] : notes) table->notes.push_back(fmt::format("{}{}: {}", of, modes, text));
}

void add_own_kernels_note(const Bounds& bounds, const std::string& of, Table* table) {
  if (!bounds.own_kernels) return;
  const OwnKernels& own = *bounds.own_kernels;
  table->notes.push_back(fmt::format(
      "{}own_kernels: what the layers of the trace ran, with benchmarks of {} alone; {} of {} have one{}", of,
      own.library, own.bound.layers - own.bound.missing, plural(own.bound.layers, "layer"),
      own.bound.missing == 0 ? "" : fmt::format(", whose layers of the trace took {}", duration(own.measured_ms))));
}

void add_fusion_note(const Bounds& bounds, const std::string& of, Table* table) {
  const BoundMode* fused = bounds.mode("fused");
  if (fused == nullptr) return;
  const auto measured = static_cast<size_t>(
      std::ranges::count_if(bounds.group_times, [](const LayerTime& time) { return time.bound_ms.has_value(); }));
  if (measured == 0) {
    table->notes.push_back(fmt::format("{}none of {} that could be fused was measured: fused is the same as layers", of,
                                       plural(bounds.groups.size(), "group")));
    return;
  }
  size_t layers = 0;
  for (const size_t group : fused->groups) layers += bounds.groups[group].layers.size();
  table->notes.push_back(
      fmt::format("{}fused: {} of {} count in {}, each in one call; {} of {} that could be were "
                  "measured (B3.groups)",
                  of, layers, plural(bounds.model->layers.size(), "layer"), plural(fused->groups.size(), "group"),
                  measured, plural(bounds.groups.size(), "group")));
}

/// What ran faster than the benchmarks say it can.
void add_trace_notes(const BoundSubject& subject, const Bounds& bounds, const std::string& of, Table* table) {
  if (bounds.trace == nullptr) return;
  const JoinedTrace& trace = *bounds.trace;
  table->notes.push_back(fmt::format("{}measured: {}, {} in {}", of,
                                     trace.subject.empty() ? "the model" : trace.subject,
                                     plural(trace.evaluations, "call"), trace.path));
  if (!bounds.faster.empty()) {
    double ms = 0;
    for (const Bounds::Faster& one : bounds.faster) ms += one.bound_ms - one.least_ms;
    table->notes.push_back(fmt::format(
        "{}{} of the trace ran faster than the benchmarks say is possible, by {:.3g} ms together: best_known counts "
        "what was observed",
        of, plural(bounds.faster.size(), "layer"), ms));
  }
  for (const BoundMode& mode : bounds.modes) {
    const double bound_ms = mode.sequential.bound_ms;
    if (!(trace.measured_ms > 0) || bound_ms <= trace.measured_ms) continue;
    table->notes.push_back(
        fmt::format("{}{}: bound exceeded by {:.1f} %: a quicker implementation exists than any benchmarked", of,
                    mode.name, 100 * (bound_ms / trace.measured_ms - 1)));
  }
  if (!can_compare(subject.source, bounds) && !bounds.model->layers.empty()) {
    table->notes.push_back(of + "normalized_pct and speedup tell nothing here: see the findings");
  }
  for (const std::string& note : trace.notes) table->notes.push_back(of + note);
}

}  // namespace

Table sequential_table(const BoundSubject& subject) {
  Table table = make_table(kB3);
  for (const Bounds& bounds : subject.bounds) {
    const std::string of = subject.has_several() ? bounds.model->name + ": " : "";
    for (const BoundMode& mode : bounds.modes) {
      add_mode(subject, bounds, mode.name, mode.sequential, &table);
      table.lacks_data |= mode.sequential.missing != 0;
    }
    if (bounds.own_kernels) add_mode(subject, bounds, kOwnKernels, bounds.own_kernels->bound, &table);
    if (trust_in(subject.source, bounds) == Trust::kUnusable) {
      table.lacks_data = true;
      table.notes.push_back(of + "no usable bound: most of it was measured while something disturbed it (--refresh)");
    }
    add_missing_note(shown_mode(bounds).sequential, of, &table);
    add_expected_notes(bounds, of, &table);
    add_own_kernels_note(bounds, of, &table);
    add_fusion_note(bounds, of, &table);
    add_trace_notes(subject, bounds, of, &table);
  }
  const bool has_trace =
      std::ranges::any_of(subject.bounds, [](const Bounds& bounds) { return bounds.trace != nullptr; });
  const bool has_fused =
      std::ranges::any_of(subject.bounds, [](const Bounds& bounds) { return bounds.has_measured_groups(); });
  table.notes.emplace_back(has_fused
                               ? "bound_ms is the sum over layers, or groups of them, of the fastest implementation, "
                                 "each by itself"
                               : "bound_ms is the sum over layers of the fastest implementation, each by itself. "
                                 "Runtimes that fuse layers can be faster");
  if (!subject.source.is_given) {
    table.notes.emplace_back(
        "expected_ms is the same sum with all operands, weights and activations, from memory: an estimate for models "
        "that are larger than the cache, not a bound");
  }
  if (has_trace) {
    table.notes.emplace_back(
        "measured_min_ms adds up the least latency of each layer in any call; no call has to be that fast");
  } else {
    table.notes.emplace_back("measured_ms, measured_min_ms, normalized_pct and speedup need a measured run");
  }
  add_source_notes(subject, &table);
  leave_out_empty_columns(&table);
  return table;
}

}  // namespace xsp::bound
