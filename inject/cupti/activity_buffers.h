#pragma once

#include <cstddef>
#include <cstdint>

namespace xsp::guest {

/// The memory that CUPTI writes activity records into: at most 64 MiB, reserved once, used as far as needed. Threads of
/// the program take and return buffers inside CUPTI's callbacks, so that nothing here waits.
///
/// Large buffers first; where many threads hold one each, small ones. Beyond these a buffer is refused, or, where CUPTI
/// would crash of that, one is given whose records are only counted.

inline constexpr size_t kLargeBufferBytes = size_t{1} << 20;
inline constexpr size_t kLargeBuffers = 46;
inline constexpr size_t kSmallBufferBytes = size_t{64} << 10;
inline constexpr size_t kSmallBuffers = 256;
inline constexpr size_t kDiscardBufferBytes = size_t{16} << 10;
inline constexpr size_t kDiscardBuffers = 128;
static_assert(kLargeBufferBytes * kLargeBuffers + kSmallBufferBytes * kSmallBuffers +
                  kDiscardBufferBytes * kDiscardBuffers <=
              size_t{64} << 20);

/// A buffer that CUPTI has returned.
struct CompletedBuffer {
  uint8_t* bytes;
  size_t valid_bytes;
  bool discard;  // its records are to be counted as lost
};

/// Makes the process's buffers, once. False without memory.
bool open_activity_buffers(bool may_refuse);

/// CUPTI's callbacks. A buffer that is not ours goes to the other one in the program that gave it (other_profiler.h).
void on_buffer_requested(uint8_t** buffer, size_t* bytes, size_t* max_records);
void on_buffer_completed(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid_bytes);

/// Whether the buffer came from here.
bool is_own_buffer(const uint8_t* buffer);

/// Whether CUPTI holds a buffer.
bool buffers_are_out();

/// The next buffer to be read, in no order; false: none. To be given back.
bool take_completed_buffer(CompletedBuffer* buffer);
void give_back_buffer(const CompletedBuffer& buffer);

}  // namespace xsp::guest
