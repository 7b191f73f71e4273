#include "collector/process/process_devices.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "collector/messages/guest_messages.h"
#include "collector/messages/peer_limits.h"
#include "proto/batch_readers.h"
#include "proto/counter_columns.h"
#include "proto/pbf.h"
#include "proto/trace_messages.h"
#include "proto/wire_writer.h"

namespace xsp {
namespace {

/// xsp.CounterBatch as a guest sends it: kernels by ordinal, never by execution number, which the guest does not know.
struct CountedKernels : wire::CounterBatchOf<std::string> {
  std::vector<uint32_t> metrics;  // string ids
  std::vector<uint32_t> names;    // by kernel
  std::vector<uint64_t> ordinals;
  std::string_view values;  // packed doubles, a view of the packet
};

using Fields = wire::CounterBatch;

Status read_metrics(std::string_view column, std::vector<uint32_t>* metrics) {
  const char* at = column.data();
  const char* const end = at + column.size();
  while (at != end) {
    if (metrics->size() == kMaxMetrics) return Status{"counters of too many metrics"};
    metrics->push_back(static_cast<uint32_t>(protozero::decode_varint(&at, end)));
  }
  return metrics->empty() ? Status{"counters of no metric"} : Status();
}

/// Decodes a batch; long texts are cut. An error says how it contradicts itself or what limit it breaks. Throws
/// protozero::exception on broken protobuf.
Status read_counted_kernels(protozero::data_view bytes, CountedKernels* batch) {
  EncodedBatch<wire::CounterBatch> columns;
  if (!read_batch(view_of(bytes), &columns)) return Status{"a counter column came twice"};
  static_cast<wire::CounterBatchOf<std::string>&>(*batch) = with_own_texts(columns.head);
  if (Status status = read_metrics(columns.encoded[Fields::kMetric], &batch->metrics); !status.ok()) return status;
  // A kernel takes eight bytes per metric, so the bytes present bound a claimed count.
  const size_t count = columns.count;
  if (columns.encoded[Fields::kValue].size() != sizeof(double) * batch->metrics.size() * count) {
    return Status{"a counter column of wrong length"};
  }
  batch->names.resize(count);
  batch->ordinals.resize(count);
  uint64_t ordinal = 0;
  const bool is_whole = columns.decode(Fields::kName, [&](size_t i, uint64_t id) {
    batch->names[i] = static_cast<uint32_t>(id);
    return true;
  }) && columns.decode(Fields::kOrdinal, [&](size_t i, uint64_t difference) {
    batch->ordinals[i] = ordinal += difference;
    return true;
  });
  if (!is_whole) return Status{"a counter column of wrong length"};
  batch->values = columns.encoded[Fields::kValue];
  return Status();
}

/// Upper bound on the bytes that the writer needs.
size_t counted_kernels_capacity(const CountedKernels& batch) {
  return batch.detail.size() + batch.values.size() + 5 * batch.metrics.size() + 15 * batch.names.size() + 128;
}

void write_counted_kernels(WireWriter& writer, const CountedKernels& batch) {
  write_counter_columns(
      writer, batch, batch.metrics.size(), [&](size_t i) { return batch.metrics[i]; },
      [&](size_t i) { return batch.names[i]; },
      [&] { write_ordinals(writer, batch.ordinals.size(), [&](size_t i) { return batch.ordinals[i]; }); },
      [&] { writer.string(Fields::kValue, batch.values); });
}

}  // namespace

void ProcessDevices::receive(protozero::data_view bytes) {
  DeviceDescription device = read_device(bytes);
  if (devices_.size() == kMaxDevices || std::find(devices_.begin(), devices_.end(), device) != devices_.end()) return;
  write(device);
  devices_.push_back(std::move(device));
}

Status ProcessDevices::receive_counters(protozero::data_view bytes) {
  CountedKernels batch;
  Status status = read_counted_kernels(bytes, &batch);
  if (!status.ok() || batch.names.empty()) return status;
  for (uint32_t& metric : batch.metrics) metric = names_.known(metric);
  for (uint32_t& name : batch.names) name = names_.known(name);
  context_.writer.write(context_.number, Body::kCounters, counted_kernels_capacity(batch),
                        [&](WireWriter& body) { write_counted_kernels(body, batch); });
  return status;
}

void ProcessDevices::write_again() {
  for (const auto& device : devices_) write(device);
}

void ProcessDevices::write(const DeviceDescription& device) { context_.writer.write(context_.number, device); }

}  // namespace xsp
