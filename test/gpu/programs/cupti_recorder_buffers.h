#pragma once

/// CUPTI's buffers: those requested and returned, and their raw records.

#include "cupti_recorder_state.h"

namespace recorder {

/// Placed before the memory that CUPTI is given.
struct BufferHead {
  uint32_t number;
};
constexpr size_t kHeadBytes = 64;

inline void CUPTIAPI on_requested(uint8_t** buffer, size_t* bytes, size_t* most_records) {
  Recorder& r = it();
  *most_records = 0;
  *bytes = r.options.buffer_bytes;
  auto* const memory = static_cast<uint8_t*>(aligned_alloc(kHeadBytes, kHeadBytes + (*bytes + 63) / 64 * 64));
  *buffer = memory == nullptr ? nullptr : memory + kHeadBytes;
  if (memory == nullptr) *bytes = 0;
  const uint32_t number = __atomic_add_fetch(&r.buffers, 1, __ATOMIC_RELAXED);
  if (memory != nullptr) reinterpret_cast<BufferHead*>(memory)->number = number;
  Line line = line_here("requested");
  put_inside(line);
  line.number("buffer", number).number("bytes", *bytes).number("flush", here().flushing).end(r.file);
}

/// Kernels for which the file has no room, and those of them without times.
struct LeftOut {
  uint64_t kernels = 0, zero = 0;
};

inline void tell_record(uint32_t buffer, const uint8_t* record, size_t size, LeftOut* left_out) {
  uint32_t kind;
  memcpy(&kind, record, sizeof kind);
  const bool is_kernel = kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || kind == CUPTI_ACTIVITY_KIND_KERNEL;
  const auto& kernel = *reinterpret_cast<const CUpti_ActivityKernel9*>(record);
  Line line("record");
  line.number("buffer", buffer).number("kind", kind).number("size", size);
  if (is_kernel) line.text("name", it().file, kernel.name);
  if (line.hex("hex", record, size).end(it().file) || !is_kernel) return;
  ++left_out->kernels;
  left_out->zero += kernel.start == 0 || kernel.end == 0;
}

inline void CUPTIAPI on_completed(CUcontext context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid) {
  Recorder& r = it();
  if (buffer == nullptr) return;
  const uint32_t number = reinterpret_cast<const BufferHead*>(buffer - kHeadBytes)->number;
  Line line = line_here("completed");
  put_inside(line);
  line.number("buffer", number).number("bytes", bytes).number("valid", valid).number("flush", here().flushing);
  line.number("context", reinterpret_cast<uintptr_t>(context)).number("stream", stream).end(r.file);
  CUpti_Activity* record = nullptr;
  const uint8_t* before = nullptr;
  LeftOut left_out;
  CUptiResult result;
  while ((result = r.cupti.get_next_record(buffer, valid, &record)) == CUPTI_SUCCESS) {
    auto* const next = reinterpret_cast<const uint8_t*>(record);
    if (before != nullptr) tell_record(number, before, static_cast<size_t>(next - before), &left_out);
    before = next;
  }
  if (before != nullptr) tell_record(number, before, static_cast<size_t>(buffer + valid - before), &left_out);
  line = Line("walked");
  line.number("buffer", number).number("walk", result);
  if (left_out.kernels != 0) line.number("left_out", left_out.kernels).number("left_out_zero", left_out.zero);
  line.end(r.file);
  free(buffer - kHeadBytes);
}

}  // namespace recorder
