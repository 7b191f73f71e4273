#include "inject/cupti/calls/graph_nodes.h"

#include <atomic>

#include "inject/cupti/counting/counters.h"
#include "inject/cupti/library/api_functions.h"
#include "inject/cupti/library/known_faults.h"
#include "inject/cupti/state/other_profiler.h"
#include "inject/library/abandoned_calls.h"
#include "inject/record/span.h"

namespace xsp::guest {
namespace {

/// CUgraphNodeType.
enum NodeType : int {
  kConditional = 13,
  kHost = 3,
  kEmpty = 5,
  kWaitEvent = 6,
  kEventRecord = 7,
  kSemaphoresSignal = 8,
  kSemaphoresWait = 9,
};

using GetNodeId = cupti::Result (*)(void* node, uint64_t* id);
constinit GetNodeId get_node_id = nullptr;
constinit std::atomic<bool> nodes_were_made{false};

/// Whether activity records can name the node: what runs on a device, and types of versions to come.
bool can_execute(int node_type) {
  switch (node_type) {
    case kHost:
    case kEmpty:
    case kWaitEvent:
    case kEventRecord:
    case kSemaphoresSignal:
    case kSemaphoresWait:
      return false;
    default:
      return true;
  }
}

/// The innermost open span, which is the call of the CUDA API that made the node, where that is recorded.
uint32_t making_span(const Thread& thread) {
  for (uint32_t slot = thread.depth(); slot > 0; --slot) {
    const uint32_t id = thread.ring->open[slot - 1].id.load(std::memory_order_relaxed);
    if (id != 0 && id != shm::kClosedSlot) return id;
  }
  return 0;
}

/// A call that makes a node executes nothing itself: without a correlation id nobody waits for its execution. The
/// launch of a graph executes, whatever nodes it makes.
void clear_correlation_of_calls(Thread& thread) {
  for (uint32_t slot = thread.depth(); slot > 0; --slot) {
    const shm::OpenSpan& span = thread.ring->open[slot - 1];
    const uint32_t id = span.id.load(std::memory_order_relaxed);
    if (id == 0 || id == shm::kClosedSlot) continue;
    if (!is_api_call(span.kind) || is_graph_launch(span.name)) return;
    thread.marks[slot - 1].correlation = 0;
  }
}

void record_node(Thread& thread, uint64_t node, uint64_t original) {
  if (!has_room(thread)) {
    const uint64_t time = now();
    if (!make_room(thread, time, time)) return;
  }
  const Place place = reserve(thread);
  auto* record = reinterpret_cast<shm::GraphNodeRecord*>(place.record);
  record->node = node;
  record->original = original;
  record->span = making_span(thread);
  record->record_type = static_cast<uint8_t>(shm::RecordType::kGraphNode);
  commit(place);
}

}  // namespace

void on_resource_callback(uint32_t callback_id, const cupti::ResourceData& data) {
  if (callback_id == cupti::kContextDestroyStarting) return counted_context_ends(data.context);
  const bool is_clone = callback_id == cupti::kGraphNodeCloned;
  if ((callback_id != cupti::kGraphNodeCreated && !is_clone) || data.descriptor == nullptr) return;
  const auto& graph = *static_cast<const cupti::GraphData*>(data.descriptor);
  counted_graph_node(graph, is_clone);
  if (!nodes_were_made.exchange(true, std::memory_order_relaxed) && other_profiler_was_there()) {
    if (const Session* session = device_session()) tell_profiler_of_graphs(*session);
  }
  if (graph.node_type == kConditional) {
    if (const Session* session = device_session()) {
      tell_cupti_fault(session->version, CuptiFault::kConditionalNodes);
    }
  }
  if (!is_clone) {
    if (Thread* thread = known_thread()) clear_correlation_of_calls(*thread);
  }
  if (get_node_id == nullptr || graph.node == nullptr || !can_execute(graph.node_type)) return;
  uint64_t node = 0;
  uint64_t original = 0;
  if (get_node_id(graph.node, &node) != cupti::kSuccess) return;
  if (is_clone && (graph.original_node == nullptr || get_node_id(graph.original_node, &original) != cupti::kSuccess)) {
    return;
  }
  if (Thread* thread = recording_thread()) record_node(*thread, node, original);
}

void enable_graph_node_callbacks(Session& session) {
  get_node_id = session.cupti.get_graph_node_id;
  if (get_node_id == nullptr) return;
  for (const uint32_t id : {cupti::kGraphNodeCreated, cupti::kGraphNodeCloned}) {
    session.cupti.enable_callback(1, session.subscriber, cupti::kResource, id);
  }
}

void tell_profiler_of_graphs(const Session& session) {
  if (!nodes_were_made.load(std::memory_order_relaxed)) return;
  tell_cupti_fault(session.version, CuptiFault::kGraphIdsOfOthers);
}

}  // namespace xsp::guest
