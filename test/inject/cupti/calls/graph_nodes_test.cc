#include "inject/cupti/calls/graph_nodes.h"

#include <unistd.h>

#include "inject/cupti/calls/api_callbacks.h"
#include "inject/record/span.h"
#include "inject/record/tracer.h"
#include "test/catch.h"
#include "test/inject/cupti/calls/recorded_calls.h"
#include "test/inject/cupti/calls/test_cupti.h"
#include "test/inject/cupti/calls/test_runtime.h"

namespace {

using namespace xsp::guest;
using namespace xsp::test;

constexpr uint8_t kApi = 1;
constexpr int kKernelNode = 0;
constexpr int kEmptyNode = 5;
constexpr int kConditionalNode = 13;

void start_callbacks() {
  static Session session;
  use_test_cupti(session);
  enable_callbacks(session);
}

void tell(uint32_t callback, uint64_t node, uint64_t original, int type) {
  cupti::GraphData graph{};
  graph.node = &node;
  graph.original_node = original == 0 ? nullptr : &original;
  graph.node_type = type;
  const cupti::ResourceData resource{nullptr, nullptr, &graph};
  on_cupti_callback(nullptr, cupti::kResource, callback, &resource);
}

void node_made(uint64_t node, int type = kKernelNode) { tell(cupti::kGraphNodeCreated, node, 0, type); }
void node_cloned(uint64_t node, uint64_t original) { tell(cupti::kGraphNodeCloned, node, original, kKernelNode); }

std::vector<xsp::shm::GraphNodeRecord> nodes_of(const Received& received) {
  return records_of<xsp::shm::GraphNodeRecord>(received, xsp::shm::RecordType::kGraphNode);
}

TEST_CASE("a node belongs to the innermost span, and the call that made it has no correlation id") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    const uint64_t layer = start_span(intern("layer"), 3, kApi, 0, 0);
    ApiCall launch(on_cupti_callback, cupti::kRuntimeApi, kLaunchKernel, 5);
    launch.enter();
    node_made(uint64_t{1} << 40);
    launch.exit();
    node_made(11);
    finish_span(layer, {});
    ApiCall alone(on_cupti_callback, cupti::kRuntimeApi, kLaunchKernel, 6);
    alone.enter();
    node_made(12);
    alone.exit();
    node_made(13);
    ApiCall clones(on_cupti_callback, cupti::kRuntimeApi, kLaunchKernel, 7);
    clones.enter();
    node_cloned(14, 13);
    clones.exit();
  });
  const auto calls = calls_of(received.at(0));
  REQUIRE(names_of(calls) ==
          std::vector<std::string>{"cudaLaunchKernel", "layer", "cudaLaunchKernel", "cudaLaunchKernel"});
  CHECK(calls[0].record.correlation == 0);
  CHECK(calls[0].record.parent == calls[1].record.id);
  CHECK(calls[2].record.correlation == 0);
  CHECK(calls[3].record.correlation == 7);
  const auto nodes = nodes_of(received.at(0));
  REQUIRE(nodes.size() == 5);
  CHECK(nodes[0].node == uint64_t{1} << 40);
  CHECK(nodes[0].original == 0);
  CHECK(nodes[0].span == calls[0].record.id);
  CHECK(nodes[1].span == calls[1].record.id);
  CHECK(nodes[2].span == calls[2].record.id);
  CHECK(nodes[3].span == 0);
}

TEST_CASE("a wrapper's call that made a node has no correlation id, and its end is found") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    test_runtime_callback = [](void*, int domain, uint32_t id, const void* data) {
      on_cupti_callback(nullptr, domain, id, data);
      const bool is_inner = domain == cupti::kDriverApi;
      if (is_inner && static_cast<const cupti::CallbackData*>(data)->site == cupti::kEnter) node_made(10, kEmptyNode);
    };
    int function = 0;
    if (cudaLaunchKernel(&function, 5, nullptr) != 0 || this_thread->of<ApiThread>().call_count != 0) _exit(3);
  });
  REQUIRE(received.size() == 1);
  const auto calls = calls_of(received.at(0));
  REQUIRE(names_of(calls) == std::vector<std::string>{"cudaLaunchKernel"});
  CHECK(calls[0].record.correlation == 0);
}

TEST_CASE("the launch of a graph keeps its correlation id, whatever nodes are made inside it") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    ApiCall launch(on_cupti_callback, cupti::kRuntimeApi, kGraphLaunch, 5);
    launch.enter();
    node_made(10);
    launch.exit();
  });
  const auto calls = calls_of(received.at(0));
  REQUIRE(names_of(calls) == std::vector<std::string>{"cudaGraphLaunch_ptsz"});
  CHECK(calls[0].record.correlation == 5);
}

TEST_CASE("a clone names its original, and the clone of a clone the clone") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    node_made(1);
    node_cloned(2, 1);
    node_cloned(3, 2);
  });
  const auto nodes = nodes_of(received.at(0));
  REQUIRE(nodes.size() == 3);
  CHECK(nodes[1].node == 2);
  CHECK(nodes[1].original == 1);
  CHECK(nodes[2].node == 3);
  CHECK(nodes[2].original == 2);
}

TEST_CASE("nodes that never execute on a device are left out, conditional ones and those in their bodies are not") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    for (int type = 0; type <= kConditionalNode + 1; ++type) node_made(100 + static_cast<uint64_t>(type), type);
  });
  std::vector<uint64_t> types;
  for (const auto& node : nodes_of(received.at(0))) types.push_back(node.node - 100);
  CHECK(types == std::vector<uint64_t>{0, 1, 2, 4, 10, 11, 12, 13, 14});
}

TEST_CASE("a node without an id, a clone without an original, and other callbacks are ignored") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    node_made(0);
    node_cloned(5, 0);
    tell(cupti::kGraphNodeDestroyStarting, 6, 0, kKernelNode);
    const cupti::ResourceData empty{nullptr, nullptr, nullptr};
    on_cupti_callback(nullptr, cupti::kResource, cupti::kGraphNodeCreated, &empty);
    on_cupti_callback(nullptr, cupti::kResource, cupti::kContextCreated, &empty);
    on_cupti_callback(nullptr, cupti::kResource, cupti::kGraphNodeCreated, nullptr);
    node_made(7);
  });
  const auto nodes = nodes_of(received.at(0));
  REQUIRE(nodes.size() == 1);
  CHECK(nodes[0].node == 7);
}

TEST_CASE("a CUPTI that cannot tell ids of nodes is asked for none") {
  ListeningPeer peer;
  int status = 0;
  peer.run(
      [] {
        Session session{};
        use_test_cupti(session);
        session.cupti.get_graph_node_id = nullptr;
        enable_callbacks(session);
        if (!asked_of_cupti.resource_callbacks.empty()) _exit(3);
        node_made(1);
      },
      &status);
  CHECK(status == 0);
}

}  // namespace
