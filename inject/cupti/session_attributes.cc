#include "inject/cupti/session_attributes.h"

#include "inject/cupti/activity_abi.h"

namespace xsp::guest {
namespace {

void set_attribute(const Session& session, int attribute, bool on) {
  uint8_t value = on ? 1 : 0;
  size_t bytes = sizeof value;
  session.cupti.activity_set_attribute(attribute, &bytes, &value);
}

}  // namespace

void set_attributes(const Session& session) {
  // On is the default of CUDA 13, which Kineto takes back at the end of its sessions. Where our own thread may not
  // flush the others' buffers, there are none.
  if (session.version >= cupti::kPerThreadBuffersVersion) {
    set_attribute(session, cupti::kPerThreadBuffers, session.version >= cupti::kForeignFlushVersion);
  }
  set_attribute(session, cupti::kZeroedBuffers, true);
  if (session.cupti.set_thread_id_type != nullptr) session.cupti.set_thread_id_type(cupti::kSystemThreadId);
}

void take_attributes_back(const Session& session) { set_attribute(session, cupti::kZeroedBuffers, false); }

}  // namespace xsp::guest
