#include "inject/streams/event_driver.h"

#include "inject/objects/loaded_library.h"

namespace xsp::guest {
namespace {

template <typename Function>
bool load(Function** function, const char* name) {
  *function = reinterpret_cast<Function*>(symbol_in_loaded_library("libcuda.so.1", name));
  return *function != nullptr;
}

}  // namespace

bool load_event_driver(EventDriver* driver) {
  // CUDA 12 and later; without it contexts are told apart by their handles alone.
  load(&driver->context_id, "cuCtxGetId");
  return load(&driver->get_context, "cuCtxGetCurrent") && load(&driver->set_context, "cuCtxSetCurrent") &&
         load(&driver->create_stream, "cuStreamCreate") && load(&driver->create_event, "cuEventCreate") &&
         load(&driver->record_event, "cuEventRecord") && load(&driver->query_event, "cuEventQuery") &&
         load(&driver->elapsed_time, "cuEventElapsedTime") && load(&driver->is_capturing, "cuStreamIsCapturing") &&
         load(&driver->exchange_capture_mode, "cuThreadExchangeStreamCaptureMode");
}

unsigned long long id_of(const EventDriver& driver, void* context) {
  unsigned long long id = 0;
  return driver.context_id != nullptr && driver.context_id(context, &id) == kDriverSuccess ? id : 0;
}

}  // namespace xsp::guest
