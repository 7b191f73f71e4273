#include "analysis/trace/counter_batch.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "analysis/trace/packed_columns.h"

namespace xsp::analysis {
namespace {

/// Field numbers of CounterBatch in trace.proto.
enum Field : uint32_t {
  kDevice = 1,
  kMetric = 2,
  kCount = 3,
  kName = 4,
  kOrdinal = 5,
  kExecution = 6,
  kValue = 7,
  kPasses = 8,
  kDetail = 9,
};

static_assert(std::endian::native == std::endian::little, "doubles are read as they stand in the file");

using Batch = PackedColumns<kValue + 1>;

constexpr bool is_column(uint32_t field) { return field == kMetric || (field >= kName && field <= kValue); }

bool read_fields(std::string_view encoded, Batch* columns, CounterBatch* batch) {
  protozero::pbf_reader reader(encoded.data(), encoded.size());
  while (reader.next()) {
    const uint32_t field = reader.tag();
    const bool varint = reader.wire_type() == protozero::pbf_wire_type::varint;
    if (is_column(field)) {
      if (!columns->take(reader)) return false;
    } else if (varint && field == kDevice) {
      batch->device = reader.get_uint32();
    } else if (varint && field == kCount) {
      columns->count = reader.get_uint32();
    } else if (varint && field == kPasses) {
      batch->passes = reader.get_uint32();
    } else if (field == kDetail && reader.wire_type() == protozero::pbf_wire_type::length_delimited) {
      batch->detail = reader.get_string();
    } else {
      reader.skip();
    }
  }
  return true;
}

bool decode_metrics(const Batch& columns, const ProcessStrings& strings, CounterBatch* batch, uint64_t* missing) {
  const protozero::data_view& column = columns.encoded[kMetric];
  const char* at = column.data();
  const char* const end = at + column.size();
  while (at != end) {
    const uint64_t id = protozero::decode_varint(&at, end);
    if (id > UINT32_MAX) return false;
    batch->metrics.push_back(strings.find(static_cast<uint32_t>(id)));
    if (batch->metrics.back() == StringTable::kMissing) ++*missing;
  }
  return !batch->metrics.empty();
}

bool decode_kernels(const Batch& columns, const ProcessStrings& strings, CounterBatch* batch, uint64_t* missing) {
  batch->name.resize(columns.count);
  batch->ordinal.resize(columns.count);
  if (!columns.decode_strings(kName, strings, batch->name.data(), missing)) return false;
  uint64_t ordinal = 0;
  if (!columns.decode(kOrdinal, [&](size_t i, uint64_t difference) {
        ordinal += difference;
        batch->ordinal[i] = ordinal;
        return ordinal >= difference;
      })) {
    return false;
  }
  if (!columns.has(kExecution)) return true;
  batch->execution.resize(columns.count);
  uint64_t execution = 0;
  return columns.decode(kExecution, [&](size_t i, uint64_t difference) {
    execution += static_cast<uint64_t>(protozero::decode_zigzag64(difference));
    batch->execution[i] = execution;
    return execution <= UINT32_MAX;
  });
}

void decode_values(const Batch& columns, CounterBatch* batch) {
  const protozero::data_view& column = columns.encoded[kValue];
  batch->value.resize(column.size() / sizeof(double));
  std::memcpy(batch->value.data(), column.data(), column.size());
  for (double& value : batch->value) {
    if (!std::isfinite(value)) value = std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace

bool append_counter_batch(std::string_view encoded, uint32_t process, const ProcessStrings& strings,
                          std::vector<CounterBatch>* batches, uint64_t* missing_strings) {
  try {
    Batch columns;
    CounterBatch batch{.process = process};
    uint64_t missing = 0;
    if (!read_fields(encoded, &columns, &batch)) return false;
    if (columns.count == 0) return columns.encoded[kName].empty() && columns.encoded[kValue].empty();
    if (!decode_metrics(columns, strings, &batch, &missing)) return false;
    // A kernel takes eight bytes a metric, so that a claimed count is bounded by the bytes that are there.
    const uint64_t values = uint64_t{columns.count} * batch.metrics.size();
    const size_t bytes = columns.encoded[kValue].size();
    if (bytes % sizeof(double) != 0 || bytes / sizeof(double) != values) return false;
    if (!columns.has(kName) || !decode_kernels(columns, strings, &batch, &missing)) return false;
    decode_values(columns, &batch);
    *missing_strings += missing;
    batches->push_back(std::move(batch));
    return true;
  } catch (const protozero::exception&) {
    return false;
  }
}

}  // namespace xsp::analysis
