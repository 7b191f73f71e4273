#pragma once

#include <cstdint>

namespace xsp::guest {

/// Device time of model calls without CUPTI: two events of the driver around the call, on the stream that the call
/// works on. A thread of ours (xsp-events) reads them when the device has passed them, and records the interval in the
/// guest's clock (shm::ActivityRecord, kStreamInterval). The program's threads never wait for the device.
///
/// Host time: a reference event on a stream of our own, whose host time lies between our asking for it and seeing it
/// done; renewed at most once a second, as an elapsed time is a float of milliseconds. The interval lies where the
/// reference says, but never before its first event was asked for, nor after we saw the second one done. Its length is
/// the device's.

/// How many intervals of one device may be open or not yet read; more are counted as lost activities.
inline constexpr uint32_t kMaxStreamIntervals = 256;

/// Whether CUPTI's session records kernels now, which say the same and more.
bool are_kernels_recorded();

/// Where a model call works. `stream` is a CUstream.
struct DeviceStream {
  void* stream;
  int device;
};

/// Prepares an interval in the calling thread's current context, which may take long. 0 if there can be none: no
/// driver, the stream is being captured, or too many are open.
uint32_t prepare_stream_interval(const DeviceStream& where);

/// Records the first event: inside the call's span, so that the device never begins before it. False: the interval has
/// been given back.
bool begin_stream_interval(uint32_t interval);

/// Records the second event. `ring` and `span` name the model call's span.
void end_stream_interval(uint32_t interval, uint32_t ring, uint32_t span);

/// Gives the interval back: its call has ended in a way that nobody saw.
void drop_stream_interval(uint32_t interval);

/// Whether the thread xsp-events runs in this process.
bool stream_thread_runs();

/// Waits for at most half a second until the intervals that have ended are read, and calls the driver no more. To be
/// called before the driver is torn down.
void finish_stream_intervals();

}  // namespace xsp::guest
