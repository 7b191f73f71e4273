#pragma once

namespace xsp::guest {

/// CUresult, which the functions below return.
using DriverResult = int;
inline constexpr DriverResult kDriverSuccess = 0;
inline constexpr DriverResult kDriverNotReady = 600;

/// Functions of libcuda.so.1 as the program has loaded it.
struct EventDriver {
  DriverResult (*get_context)(void** context);
  DriverResult (*set_context)(void* context);
  DriverResult (*create_stream)(void** stream, unsigned flags);
  DriverResult (*create_event)(void** event, unsigned flags);
  DriverResult (*record_event)(void* event, void* stream);
  DriverResult (*query_event)(void* event);
  DriverResult (*elapsed_time)(float* milliseconds, void* from, void* to);
  DriverResult (*is_capturing)(void* stream, int* status);
  DriverResult (*exchange_capture_mode)(int* mode);
  DriverResult (*context_id)(void* context, unsigned long long* id);  // null before CUDA 12
};

/// False when the program has not loaded the driver, or a driver that lacks a function.
bool load_event_driver(EventDriver* driver);

/// The context's id, which no other context of the process has or had; 0 where the driver has no ids.
unsigned long long id_of(const EventDriver& driver, void* context);

inline constexpr int kRelaxedCapture =
    2;  // CU_STREAM_CAPTURE_MODE_RELAXED: our calls disturb no capture of another thread

/// In its scope, a capture that another thread has made global is not broken by our calls.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const EventDriver& driver) : driver_(driver) { driver_.exchange_capture_mode(&mode_); }
  ~RelaxedCapture() { driver_.exchange_capture_mode(&mode_); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  const EventDriver& driver_;
  int mode_ = kRelaxedCapture;
};

}  // namespace xsp::guest
