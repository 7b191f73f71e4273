#pragma once

#include <cstddef>
#include <cstdint>

namespace xsp::guest {

/// The memory that CUPTI writes activity records into: at most 64 MiB, reserved once, used as far as needed. Threads of
/// the program take and return buffers inside CUPTI's callbacks, so that nothing there waits (wait_for_buffers does, in
/// a launch, where the user asked for it).
///
/// CUPTI keeps a buffer until everything that was launched with a place in it has run. Buffers are therefore small,
/// some thousand kernels: while a program launches faster than the device runs, all finished records but those of the
/// last buffer are in our hands, and a kill loses no more. Where many threads hold one each, smaller ones are given.
/// Beyond these a buffer is refused or, where that would crash CUPTI, one is given whose records are only counted.
///
/// A buffer is all zero when it is given: the thread that drains it clears it (cupti::kZeroedBuffers), which CUPTI
/// would do on the thread that launches.

inline constexpr size_t kLargeBufferBytes = size_t{256} << 10;
inline constexpr size_t kLargeBuffers = 224;
inline constexpr size_t kSmallBufferBytes = size_t{64} << 10;
inline constexpr size_t kSmallBuffers = 96;
inline constexpr size_t kDiscardBufferBytes = size_t{16} << 10;
inline constexpr size_t kDiscardBuffers = 128;
static_assert(kLargeBufferBytes * kLargeBuffers + kSmallBufferBytes * kSmallBuffers +
                  kDiscardBufferBytes * kDiscardBuffers <=
              size_t{64} << 20);

/// A buffer that CUPTI has returned.
struct CompletedBuffer {
  uint8_t* bytes;
  size_t valid_bytes;
  uint32_t session;  // Session::kernel_sessions when it was returned
  bool forced;       // by a forced flush: what had not run yet has no times
  bool discard;      // its records are to be counted as lost
};

/// Makes the process's buffers, once. False without memory.
bool open_activity_buffers(bool may_refuse);

/// CUPTI's callbacks. A buffer that is not ours goes to the profiler in the program that gave it (other_profiler.h).
void on_buffer_requested(uint8_t** buffer, size_t* bytes, size_t* max_records);
void on_buffer_completed(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid_bytes);

/// Whether the buffer came from here.
bool is_own_buffer(const uint8_t* buffer);

/// Whether CUPTI holds a buffer.
bool buffers_are_out();

/// The next buffer to read, in no particular order; false: none. Must be given back.
bool take_completed_buffer(CompletedBuffer* buffer);
void give_back_buffer(const CompletedBuffer& buffer);

/// When CUPTI holds nearly all buffers, waits until it has given some back: otherwise what a program that runs ahead of
/// its device launches now would be lost. Waits only as long as buffers keep coming back.
void wait_for_buffers();

}  // namespace xsp::guest
