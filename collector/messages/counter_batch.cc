#include "collector/messages/counter_batch.h"

#include <algorithm>
#include <array>

#include "base/text_encoding.h"
#include "collector/messages/column_reader.h"
#include "collector/messages/peer_limits.h"

namespace xsp {
namespace {

constexpr size_t kMaxTextBytes = 4096;
constexpr uint32_t kMetric = 2;
constexpr uint32_t kFirstColumn = 4;
constexpr uint32_t kName = 4;
constexpr uint32_t kOrdinal = 5;
constexpr uint32_t kValue = 7;

struct Kernel {
  uint32_t name = 0;
  uint64_t ordinal = 0;
};

Status read_metrics(protozero::data_view column, std::vector<uint32_t>* metrics) {
  const char* at = column.data();
  const char* const end = at + column.size();
  while (at != end) {
    if (metrics->size() == kMaxMetrics) return Status{"counters of too many metrics"};
    metrics->push_back(static_cast<uint32_t>(protozero::decode_varint(&at, end)));
  }
  return metrics->empty() ? Status{"counters of no metric"} : Status();
}

}  // namespace

Status read_counted_kernels(protozero::data_view bytes, CountedKernels* batch) {
  std::array<protozero::data_view, kValue + 1> column{};
  uint32_t count = 0;
  for (protozero::pbf_reader fields(bytes); fields.next();) {
    const uint32_t field = fields.tag();
    if (field == 1) {
      batch->device = fields.get_uint32();
    } else if (field == 3) {
      count = fields.get_uint32();
    } else if (field == 8) {
      batch->passes = fields.get_uint32();
    } else if (field == 9) {
      const auto view = fields.get_view();
      batch->detail = trace_text({view.data(), std::min(view.size(), kMaxTextBytes)});
    } else if (field == kMetric || (field >= kFirstColumn && field <= kValue)) {
      if (column[field].size() != 0) return Status{"a counter column came twice"};
      column[field] = fields.get_view();
    } else {
      fields.skip();
    }
  }
  if (Status status = read_metrics(column[kMetric], &batch->metrics); !status.ok()) return status;
  // A kernel takes eight bytes a metric, so that a claimed count is bounded by the bytes that are there.
  if (column[kValue].size() != sizeof(double) * batch->metrics.size() * size_t{count}) {
    return Status{"a counter column of wrong length"};
  }
  std::vector<Kernel> kernels(count);
  uint64_t ordinal = 0;
  const bool whole = read_column(column[kName], kernels,
                                 [](Kernel& kernel, uint64_t id) { kernel.name = static_cast<uint32_t>(id); }) &&
                     read_column(column[kOrdinal], kernels,
                                 [&](Kernel& kernel, uint64_t difference) { kernel.ordinal = ordinal += difference; });
  if (!whole) return Status{"a counter column of wrong length"};
  for (const Kernel& kernel : kernels) {
    batch->names.push_back(kernel.name);
    batch->ordinals.push_back(kernel.ordinal);
  }
  batch->values = {column[kValue].data(), column[kValue].size()};
  return Status();
}

size_t counted_kernels_capacity(const CountedKernels& batch) {
  return batch.detail.size() + batch.values.size() + 5 * batch.metrics.size() + 15 * batch.names.size() + 128;
}

void write_counted_kernels(WireWriter& writer, const CountedKernels& batch) {
  writer.uint64(1, batch.device);
  auto mark = writer.begin(kMetric);
  for (const uint32_t metric : batch.metrics) writer.varint(metric);
  writer.end(mark);
  writer.uint64(3, batch.names.size());
  mark = writer.begin(kName);
  for (const uint32_t name : batch.names) writer.varint(name);
  writer.end(mark);
  mark = writer.begin(kOrdinal);
  uint64_t before = 0;
  for (const uint64_t ordinal : batch.ordinals) {
    writer.varint(ordinal - before);
    before = ordinal;
  }
  writer.end(mark);
  writer.string(kValue, batch.values);
  writer.uint64(8, batch.passes);
  writer.string(9, batch.detail);
}

}  // namespace xsp
