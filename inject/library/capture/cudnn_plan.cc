// Executions of cuDNN's backend API. A plan says what it does as JSON, which is read once per plan: its text is kept
// until the plan is destroyed, or another one is finalized at the same address.
#include "enum_names.h"
#include "inject/library/capture/kept_texts.h"
#include "inject/library/capture/passed_object.h"
#include "inject/library/capture/sibling.h"
#include "inject/library/capture/text_writer.h"
#include "inject/record/process.h"
#include "proto/string_ids.h"

extern "C" uint64_t xsp_stream_of_cudnnHandle_t(const xsp_call* call, void* handle);

namespace xsp::guest {
namespace {

// cudnnBackendAttributeName_t and cudnnBackendAttributeType_t, the same in 8 and 9.
constexpr int kConfigurationEngine = 300;
constexpr int kPlanEngineConfiguration = 401;
constexpr int kPlanWorkspaceSize = 402;
constexpr int kPlanJson = 405;
constexpr int kEngineNumericalNote = 1303;
constexpr int kPackOverrideUids = 1010;
constexpr int kPackOverrideShapes = 1011;
constexpr int kInt64 = 3;
constexpr int kNumericalNote = 11;
constexpr int kDescriptor = 15;
constexpr int kChar = 24;
// cudnnBackendDescriptorType_t
constexpr int kEngineDescriptor = 2;
constexpr int kEngineConfigurationDescriptor = 3;

constinit ObjectTexts plans;            // with the size of the workspace
constinit ObjectTexts override_uids;    // of variant packs
constinit ObjectTexts override_shapes;  // of variant packs, the shapes of all its tensors in a row

// 256 KiB: too large for a stack, so one buffer and a lock. A thread that finds it taken records its call without the
// text.
constinit char json[kMaxStringBytes + 1];
constinit ProcessLock json_lock;
constinit std::atomic<bool> told{false};

using GetAttribute = int(const void* descriptor, int name, int type, int64_t requested, int64_t* count, void* elements);
constinit Sibling<GetAttribute> get_attribute{"cudnnBackendGetAttribute"};
constinit Sibling<int(int kind, void** descriptor)> create_descriptor{"cudnnBackendCreateDescriptor"};
constinit Sibling<int(void* descriptor)> destroy_descriptor{"cudnnBackendDestroyDescriptor"};

uint32_t kept_note(std::string_view what, int64_t number) {
  TextWriter text;
  text.add("{\"").add(what).add("\":").add(number).add("}");
  if (!told.exchange(true)) notify(1, "cudnn", "an execution plan could not be read whole: its text says why");
  return xsp_text(text.view().data(), text.view().size());
}

/// The plan's JSON as a string id, or a text that says why it could not be read. 0: another thread has the buffer; ask
/// again.
uint32_t read_json(GetAttribute* get, const void* plan) {
  int64_t size = 0;
  if (const int status = get(plan, kPlanJson, kChar, 0, &size, nullptr); status != 0)
    return kept_note("unreadable", status);
  if (size <= 0) return kept_note("empty", size);
  if (size > static_cast<int64_t>(sizeof json)) return kept_note("omitted_bytes", size);
  if (!json_lock.try_lock()) return 0;
  int64_t got = 0;
  const int status = get(plan, kPlanJson, kChar, size, &got, json);
  uint32_t id;
  if (status != 0 || got <= 0 || got > size) {
    id = kept_note("unreadable", status);
  } else {
    uint64_t length = static_cast<uint64_t>(got);
    // cuDNN counts the terminating NUL.
    while (length > 0 && json[length - 1] == '\0') --length;
    id = xsp_text(json, length);
  }
  json_lock.unlock();
  return id;
}

/// Numerical notes of the plan's engine, which its JSON leaves out: "TENSOR_CORE,DOWN_CONVERT_INPUTS".
uint32_t read_notes(const xsp_call* call, GetAttribute* get, const void* plan) {
  constexpr int kMostNotes = 16;
  auto* create = create_descriptor.of(call);
  auto* destroy = destroy_descriptor.of(call);
  if (create == nullptr || destroy == nullptr) return 0;
  // The backend API returns descriptors only into descriptors that the caller has created.
  void *configuration = nullptr, *engine = nullptr;
  int64_t count = 0;
  int notes[kMostNotes];
  TextWriter text;
  if (create(kEngineConfigurationDescriptor, &configuration) == 0 && create(kEngineDescriptor, &engine) == 0 &&
      get(plan, kPlanEngineConfiguration, kDescriptor, 1, &count, &configuration) == 0 &&
      get(configuration, kConfigurationEngine, kDescriptor, 1, &count, &engine) == 0 &&
      get(engine, kEngineNumericalNote, kNumericalNote, kMostNotes, &count, notes) == 0) {
    for (int64_t i = 0; i < count && i < kMostNotes; ++i) {
      text.add_name(i == 0 ? "" : ",", cudnn::name_of_cudnnBackendNumericalNote_t(notes[i]), notes[i]);
    }
  }
  if (engine != nullptr) destroy(engine);
  if (configuration != nullptr) destroy(configuration);
  return text.view().empty() ? 0 : xsp_text(text.view().data(), text.view().size());
}

ObjectTexts::Found plan_text(const xsp_call* call, const void* plan) {
  if (!is_object(call, plan)) return {};
  const ObjectTexts::Found known = plans.find(plan);
  if (known.id != 0) return known;
  GetAttribute* get = get_attribute.of(call);
  if (get == nullptr) return {};
  int64_t workspace = 0, count = 0;
  if (get(plan, kPlanWorkspaceSize, kInt64, 1, &count, &workspace) != 0) return {};  // not a plan
  const ObjectTexts::Found found = {read_json(get, plan), read_notes(call, get, plan),
                                    static_cast<uint64_t>(workspace)};
  plans.keep(plan, found);
  return found;
}

void capture_execution(const xsp_call* call, xsp_values* values, void* handle, void* plan, void* pack) {
  const ObjectTexts::Found text = plan_text(call, plan);
  append(values, reinterpret_cast<uint64_t>(handle));
  append(values, xsp_stream_of_cudnnHandle_t(call, handle));
  append(values, text.id);
  append(values, text.extra);
  append(values, text.note);
  append(values, override_uids.find(pack).id);
  append(values, override_shapes.find(pack).id);
}

/// Overrides are read when they are set: asking a pack that has none would change cuDNN's last error.
void keep_override(ObjectTexts& texts, const void* pack, int64_t count, const void* elements) {
  TextWriter text;
  text.add_list(static_cast<const int64_t*>(elements), static_cast<int>(count < 200 ? count : 200));
  texts.forget(pack);
  texts.keep(pack, {xsp_text(text.view().data(), text.view().size())});
}

void forget(const void* descriptor) {
  plans.forget(descriptor);
  override_uids.forget(descriptor);
  override_shapes.forget(descriptor);
}

}  // namespace
}  // namespace xsp::guest

using namespace xsp::guest;

extern "C" {

void xsp_capture_cudnnBackendExecute(const xsp_call* call, xsp_values* values, void* handle, void* plan, void* pack) {
  capture_execution(call, values, handle, plan, pack);
}

void xsp_capture_cudnnBackendPopulateCudaGraph(const xsp_call* call, xsp_values* values, void* handle, void* plan,
                                               void* pack, void* /*graph*/) {
  capture_execution(call, values, handle, plan, pack);
}

void xsp_capture_cudnnBackendUpdateCudaGraph(const xsp_call* call, xsp_values* values, void* handle, void* plan,
                                             void* pack, void* /*graph*/) {
  capture_execution(call, values, handle, plan, pack);
}

void xsp_observe_cudnnBackendFinalize(void* /*real*/, void* descriptor) { plans.forget(descriptor); }

void xsp_observe_cudnnBackendDestroyDescriptor(void* /*real*/, void* descriptor) { forget(descriptor); }

void xsp_observe_cudnnBackendSetAttribute(void* /*real*/, void* descriptor, int name, int type, int64_t count,
                                          void* elements) {
  if (__builtin_expect(name != kPackOverrideUids && name != kPackOverrideShapes, 1)) return;
  if (descriptor == nullptr || elements == nullptr || type != kInt64 || count <= 0) return;
  keep_override(name == kPackOverrideUids ? override_uids : override_shapes, descriptor, count, elements);
}

}  // extern "C"
