#include "analysis/tables/evaluation_memory.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "analysis/study/study.h"
#include "analysis/tables/model_information.h"
#include "analysis/tables/table.h"
#include "analysis/trace/call_arguments.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

std::optional<double> bytes_of(const Study& study, Row row) {
  const uint64_t bytes = study.trace.spans.bytes[row];
  return bytes == SpanTable::kUnknownBytes ? std::nullopt : std::optional(static_cast<double>(bytes));
}

/// What the model's call allocated; where only its layers tell (nodes of ONNX Runtime), their sum.
std::optional<double> allocated(const Study& study, uint32_t evaluation) {
  if (const auto bytes = bytes_of(study, study.evaluations.root[evaluation])) return bytes;
  const size_t layers = study.evaluations.layer_count(evaluation);
  if (layers == 0) return {};
  double sum = 0;
  for (size_t i = 0; i < layers; ++i) {
    const auto bytes = bytes_of(study, study.evaluations.layer(evaluation, i));
    if (!bytes) return {};
    sum += *bytes;
  }
  return sum;
}

/// Live memory as the arguments of model spans tell it (doc/frameworks.md).
struct LiveMemory {
  double live = 0;
  double peak = 0;
  bool of_device = false;
};

std::optional<LiveMemory> live_memory(const Study& study, uint32_t evaluation) {
  const CallArguments arguments(study.trace, study.evaluations.root[evaluation]);
  const auto device = arguments.number("device_peak");
  const bool of_device = device && *device > 0;
  const auto live = arguments.number(of_device ? "device_live" : "cpu_live");
  const auto peak = arguments.number(of_device ? "device_peak" : "cpu_peak");
  if (!live || !peak) return {};
  return LiveMemory{*live, *peak, of_device};
}

Cell megabytes(const std::optional<double>& bytes) { return bytes ? cell(*bytes / kBytesPerMb) : Cell(); }

/// One value from those of all evaluations; nothing if one is not known.
template <typename ValueOf, typename Total>
std::optional<double> joined(const Study& study, const std::vector<uint32_t>& evaluations, ValueOf&& value_of,
                             Total&& total) {
  std::vector<double> values;
  for (const uint32_t evaluation : evaluations) {
    const std::optional<double> value = value_of(evaluation);
    if (!value) return {};
    values.push_back(*value);
  }
  if (values.empty()) return {};
  return study.options.per_trace ? total(values) : evaluate(study.options.statistic, values);
}

struct MemoryCells {
  Cell allocated;
  Cell peak;
  Cell live;
  Cell of;
};

MemoryCells cells_of(const Study& study, const EvaluationGroup& group) {
  const std::vector<uint32_t> evaluations = used_evaluations(study, group);
  MemoryCells cells;
  cells.allocated = megabytes(joined(
      study, evaluations, [&](uint32_t evaluation) { return allocated(study, evaluation); },
      [](const auto& values) { return std::accumulate(values.begin(), values.end(), 0.0); }));
  bool of_device = false;
  bool of_cpu = false;
  const auto part = [&](double LiveMemory::*member) {
    return [&, member](uint32_t evaluation) {
      const auto memory = live_memory(study, evaluation);
      if (memory) (memory->of_device ? of_device : of_cpu) = true;
      return memory ? std::optional((*memory).*member) : std::nullopt;
    };
  };
  const auto most = [](const auto& values) { return *std::max_element(values.begin(), values.end()); };
  const auto peak = joined(study, evaluations, part(&LiveMemory::peak), most);
  const auto live =
      joined(study, evaluations, part(&LiveMemory::live), [](const auto& values) { return values.back(); });
  if (of_device == of_cpu) return cells;  // neither is known, or both are: no single number
  cells.peak = megabytes(peak);
  cells.live = megabytes(live);
  if (peak) cells.of = Cell(std::string(of_device ? "device" : "CPU"));
  return cells;
}

}  // namespace

void add_memory(const Study& study, Table* table) {
  for (size_t i = 0; i < study.groups.size(); ++i) {
    const MemoryCells cells = cells_of(study, study.evaluations.groups[study.groups[i]]);
    TableRow row = table->row(i);
    row.set(kA1.alloc_mb, cells.allocated);
    row.set(kA1.peak_mb, cells.peak);
    row.set(kA1.live_mb, cells.live);
    row.set(kA1.memory_of, cells.of);
  }
}

}  // namespace xsp::analysis
