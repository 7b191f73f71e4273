#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "proto/pbf.h"
#include "proto/trace_messages.h"
#include "proto/wire_writer.h"

namespace xsp {

/// xsp.CounterBatch as a guest sends it: kernels are given by ordinal, never by the number of an execution, which the
/// guest does not know.
struct CountedKernels : wire::CounterBatchOf<std::string> {
  std::vector<uint32_t> metrics;  // string ids
  std::vector<uint32_t> names;    // by kernel
  std::vector<uint64_t> ordinals;
  std::string_view values;  // packed doubles, a view of the packet
};

/// Decodes a batch; a long text is cut. An error says how it contradicts itself or what limit it breaks. Throws
/// protozero::exception on broken protobuf.
Status read_counted_kernels(protozero::data_view bytes, CountedKernels* batch);

/// Bytes that the writer needs at most.
size_t counted_kernels_capacity(const CountedKernels& batch);
void write_counted_kernels(WireWriter& writer, const CountedKernels& batch);

}  // namespace xsp
