#include "analysis/trace/counter_batch.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "analysis/trace/packed_columns.h"

namespace xsp::analysis {
namespace {

using CounterFields = wire::CounterBatch;

static_assert(std::endian::native == std::endian::little, "doubles are read as they stand in the file");

using EncodedCounters = EncodedBatch<wire::CounterBatch>;

bool decode_metrics(const EncodedCounters& columns, const ProcessStrings& strings, CounterBatch* batch,
                    uint64_t* missing) {
  const std::string_view column = columns.encoded[CounterFields::kMetric];
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

bool decode_kernels(const EncodedCounters& columns, const ProcessStrings& strings, CounterBatch* batch,
                    uint64_t* missing) {
  batch->name.resize(columns.count);
  batch->ordinal.resize(columns.count);
  if (!decode_strings(columns, CounterFields::kName, strings, batch->name.data(), missing)) return false;
  uint64_t ordinal = 0;
  if (!columns.decode(CounterFields::kOrdinal, [&](size_t i, uint64_t difference) {
        ordinal += difference;
        batch->ordinal[i] = ordinal;
        return ordinal >= difference;
      })) {
    return false;
  }
  if (!columns.has(CounterFields::kExecution)) return true;
  batch->execution.resize(columns.count);
  return columns.decode_sums(CounterFields::kExecution, [&](size_t i, uint64_t execution) {
    batch->execution[i] = execution;
    return execution <= UINT32_MAX;
  });
}

void decode_values(const EncodedCounters& columns, CounterBatch* batch) {
  const std::string_view column = columns.encoded[CounterFields::kValue];
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
    EncodedCounters columns;
    CounterBatch batch{.process = process};
    uint64_t missing = 0;
    if (!read_batch<wire::Mismatch::kSkip>(encoded, &columns)) return false;
    batch.device = columns.head.device;
    batch.passes = columns.head.passes;
    batch.detail = columns.head.detail;
    if (columns.count == 0)
      return columns.encoded[CounterFields::kName].empty() && columns.encoded[CounterFields::kValue].empty();
    if (!decode_metrics(columns, strings, &batch, &missing)) return false;
    // A kernel takes eight bytes a metric, so that a claimed count is bounded by the bytes that are there.
    const uint64_t values = uint64_t{columns.count} * batch.metrics.size();
    const size_t bytes = columns.encoded[CounterFields::kValue].size();
    if (bytes % sizeof(double) != 0 || bytes / sizeof(double) != values) return false;
    if (!columns.has(CounterFields::kName) || !decode_kernels(columns, strings, &batch, &missing)) return false;
    decode_values(columns, &batch);
    *missing_strings += missing;
    batches->push_back(std::move(batch));
    return true;
  } catch (const protozero::exception&) {
    return false;
  }
}

}  // namespace xsp::analysis
