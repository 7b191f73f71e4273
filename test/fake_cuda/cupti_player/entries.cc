// libcupti's functions, as far as the guest uses them, over a recording: CUPTI_PLAYER_RECORDING names it.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../cupti/entry.h"
#include "fields.h"
#include "player.h"

using namespace fake;

namespace {

Player& player() {
  static Player* const instance = [] {
    const char* const path = getenv("CUPTI_PLAYER_RECORDING");
    if (path == nullptr) give_up("CUPTI_PLAYER_RECORDING names no recording");
    return new Player(path);
  }();
  return *instance;
}

struct FunctionName {
  int domain;
  uint32_t callback;
  const char* name;
};
const FunctionName kFunctionNames[] = {
#include "../cupti/function_names.inc"
};

int subscriber;

}  // namespace

/// Not CUPTI's: plays it, for the program that is there for it.
EXPORT int play_recording() {
  player().play();
  return 0;
}

EXPORT int cuptiGetVersion(uint32_t* version) {
  *version = player().recording().version;
  return kCuptiSuccess;
}
EXPORT int cuptiGetTimestamp(uint64_t* time) {
  *time = player().cupti_now();
  return kCuptiSuccess;
}
EXPORT int cuptiGetResultString(int, const char** text) {
  *text = "a recorded result";
  return kCuptiSuccess;
}
EXPORT int cuptiSubscribe(void** handle, Callback* callback, void* user_data) {
  if (player().callback != nullptr) return kCuptiMultipleSubscribers;
  for (auto& domain : player().enabled)
    for (auto& entry : domain) entry = 0;
  player().user_data = user_data;
  player().callback = callback;
  *handle = &subscriber;
  return kCuptiSuccess;
}
EXPORT int cuptiUnsubscribe(void*) {
  player().callback = nullptr;
  return kCuptiSuccess;
}
EXPORT int cuptiEnableCallback(uint32_t enable, void*, int domain, uint32_t callback) {
  if (domain <= 0 || domain >= kDomains || callback >= kCallbacks) return kCuptiInvalidParameter;
  player().enabled[domain][callback] = enable != 0;
  return kCuptiSuccess;
}
EXPORT int cuptiGetCallbackName(int domain, uint32_t callback, const char** name) {
  if (callback >= (domain == 1 ? 900U : domain == 2 ? 600U : 0U)) return kCuptiInvalidParameter;
  *name = "INVALID";
  for (const FunctionName& function : kFunctionNames)
    if (function.domain == domain && function.callback == callback) *name = function.name;
  // A device's CUPTI knows more functions than the stand-ins have.
  const auto recorded = player().recording().names.find({domain, callback});
  if (recorded != player().recording().names.end()) *name = recorded->second.c_str();
  return kCuptiSuccess;
}
EXPORT int cuptiGetGraphNodeId(void* node, uint64_t* id) {
  *id = reinterpret_cast<uintptr_t>(node);
  return node == nullptr ? kCuptiInvalidParameter : kCuptiSuccess;
}
EXPORT int cuptiActivityEnable(uint32_t kind) {
  if (kind == 0 || kind >= kMostKinds) return kCuptiInvalidKind;
  player().kinds[kind] = 1;
  player().ever_enabled |= uint64_t{1} << kind;
  return kCuptiSuccess;
}
EXPORT int cuptiActivityDisable(uint32_t kind) {
  if (kind == 0 || kind >= kMostKinds) return kCuptiInvalidKind;
  player().kinds[kind] = 0;
  return kCuptiSuccess;
}
EXPORT int cuptiActivityRegisterCallbacks(BufferRequested* requested, BufferCompleted* completed) {
  player().requested = requested;
  player().completed = completed;
  return kCuptiSuccess;
}
EXPORT int cuptiActivityFlushAll(uint32_t) {
  player().flush();
  return kCuptiSuccess;
}
EXPORT int cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, uint8_t** record) {
  return player().next_record(buffer, valid, record);
}
EXPORT int cuptiActivityGetNumDroppedRecords(void*, uint32_t, size_t* dropped) {
  *dropped = player().take_dropped();
  return kCuptiSuccess;
}
EXPORT int cuptiActivitySetAttribute(uint32_t, size_t*, void*) { return kCuptiSuccess; }
EXPORT int cuptiSetThreadIdType(uint32_t) { return kCuptiSuccess; }
