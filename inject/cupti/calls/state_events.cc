#include "inject/cupti/calls/state_events.h"

#include "inject/cupti/library/notice_severity.h"
#include "inject/guard/fixed_text.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

/// "out of device memory (CUPTI_ERROR_OUT_OF_MEMORY, 8)"
FixedText<400> text_of(const Session& session, const cupti::StateData& data) {
  const char* name = nullptr;
  if (session.cupti.get_result_string(data.result, &name) != cupti::kSuccess || name == nullptr) name = "no text";
  FixedText<400> text;
  if (data.message != nullptr && data.message[0] != '\0')
    text.put(data.message).put(" (").put(name).put(", ");
  else
    text.put(name).put(" (");
  return text.put_number(static_cast<uint64_t>(data.result)).put(")");
}

}  // namespace

void enable_state_callbacks(Session& session) {
  for (const uint32_t id : {cupti::kFatalError, cupti::kWarning}) {
    session.cupti.enable_callback(1, session.subscriber, cupti::kState, id);
  }
}

void on_state_callback(uint32_t callback_id, const cupti::StateData& data) {
  const Session* session = device_session();
  if (session == nullptr) return;
  const FixedText<400> what = text_of(*session, data);
  if (callback_id == cupti::kFatalError) return end_failed_session(what.view());
  // CUPTI warns at every buffer that was refused: the first warning says it all.
  static constinit std::atomic<bool> told{false};
  if (told.exchange(true)) return;
  FixedText<600> text;
  notify(kNoticeWarning, "cupti", text.put("CUPTI warns: ").put(what.view()).put("; XSP is the client").view());
}

}  // namespace xsp::guest
