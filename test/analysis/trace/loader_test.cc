#include "analysis/trace/loader.h"

#include <cmath>
#include <limits>

#include "analysis/tables/loss_notes.h"
#include "test/analysis/support/loaded_bytes.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

using analysis::Level;
using xsp::Status;

TEST_CASE("the files that calls went to are of their process, each once") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add_process(11);
  const auto use = [&](uint32_t process, const std::string& library, const std::string& file) {
    auto* used = builder.packet(process)->mutable_used_library();
    used->set_library(library);
    used->set_file(file);
  };
  use(1, "blas", "/a");
  use(2, "blas", "/b");
  use(1, "blas", "/a");
  use(1, "cblas", "/a");
  analysis::Trace trace;
  REQUIRE(load(builder.bytes(), &trace).ok());
  const std::vector<analysis::UsedLibrary> expected = {{1, "blas", "/a"}, {2, "blas", "/b"}, {1, "cblas", "/a"}};
  CHECK(trace.used_libraries == expected);
}

TEST_CASE("a field of another type than its own is skipped, and its batch is read") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add_evaluation(10, {3, 2});
  analysis::Trace expected;
  REQUIRE(load(builder.bytes(), &expected).ok());
  for (int i = 0; i < builder.message().packet_size(); ++i) {
    Packet* packet = builder.message().mutable_packet(i);
    if (!packet->has_spans()) continue;
    SpanBatch* batch = packet->mutable_spans();
    batch->GetReflection()->MutableUnknownFields(batch)->AddFixed64(SpanBatch::kCountFieldNumber, 4711);
  }
  analysis::Trace trace;
  REQUIRE(load(builder.bytes(), &trace).ok());
  REQUIRE(expected.spans.size() != 0);
  CHECK(trace.spans.size() == expected.spans.size());
}

TEST_CASE("what a broken Hello said of its process before the break is known") {
  TraceBuilder builder;
  builder.add_process(4242);
  for (int i = 0; i < builder.message().packet_size(); ++i) {
    Packet* packet = builder.message().mutable_packet(i);
    if (!packet->has_hello()) continue;
    const std::string broken =
        packet->hello().SerializeAsString() + "\x12\x7f";  // a text of 127 bytes, none of them there
    packet->clear_hello();
    packet->GetReflection()->MutableUnknownFields(packet)->AddLengthDelimited(Packet::kHelloFieldNumber, broken);
  }
  analysis::Trace trace;
  (void)load(builder.bytes(), &trace);
  REQUIRE(trace.processes.size() == 2);
  CHECK(trace.processes[1].pid == 4242);
}

TEST_CASE("packets of types of a later version are skipped, and are not missing") {
  TraceBuilder builder;
  builder.add_process(10);
  for (int i = 0; i < 3; ++i) {
    Packet* packet = builder.packet(1);
    packet->GetReflection()->MutableUnknownFields(packet)->AddLengthDelimited(4711, "new");
  }
  builder.add_evaluation(10, {3, 2});
  analysis::Trace trace;
  REQUIRE(load(builder.bytes(), &trace).ok());
  REQUIRE(trace.processes.size() == 2);  // the first is the trace itself
  CHECK(trace.processes[1].missing_packets == 0);
  CHECK(trace.processes[1].sequence_gaps == 0);
  CHECK(trace.spans.size() == 3);
}

TEST_CASE("every column of a span arrives") {
  TraceBuilder builder;
  builder.add_process(7, "3");
  SpanSpec span{.begin = 100, .end = 250, .id = 9, .parent = 4, .level = LEVEL_LAYER, .kind = KIND_TORCH_MODULE};
  span.name = "conv";
  span.type = "Conv2d";
  span.shape = "[1,8]";
  span.input = "[1,3]";
  span.scope = "session";
  span.bytes = 4096;
  span.thread = 55;
  span.ring = 2;
  builder.add(span);
  span.begin = 50;
  span.end = 50;
  span.bytes = -1;
  span.start_thread = 66;
  span.start_ring = 1;
  builder.add(span);
  analysis::Trace trace;
  REQUIRE(load(builder.bytes(), &trace).ok());
  const auto& spans = trace.spans;
  REQUIRE(spans.size() == 2);
  CHECK(spans.begin[0] == 100);
  CHECK(spans.end[0] == 250);
  CHECK(spans.id[0] == 9);
  CHECK(spans.parent[0] == 4);
  CHECK(spans.level[0] == Level::kLayer);
  CHECK(spans.kind[0] == analysis::Kind::kTorchModule);
  CHECK(trace.text(spans.name[0]) == "conv");
  CHECK(trace.text(spans.type[0]) == "Conv2d");
  CHECK(trace.text(spans.shape[0]) == "[1,8]");
  CHECK(trace.text(spans.input[0]) == "[1,3]");
  CHECK(trace.text(spans.scope[0]) == "session");
  CHECK(spans.bytes[0] == 4096);
  CHECK(spans.bytes[1] == analysis::SpanTable::kUnknownBytes);
  CHECK(trace.tracks[spans.track[0]].thread == 55);
  CHECK(trace.tracks[spans.track[0]].ring == 2);
  CHECK(trace.tracks[spans.track[1]].thread == 66);
  CHECK(trace.tracks[spans.track[1]].ring == 0);
  CHECK(*trace.processes[trace.process_of(0)].variable("RANK") == "3");
  CHECK_FALSE(analysis::is_incomplete(trace));
}

TEST_CASE("of spans whose bytes are known in part, 0 is told from unknown") {
  TraceBuilder builder;
  builder.add_process(7);
  builder.add({.begin = 1, .end = 2, .id = 1, .name = "in place", .bytes = 0});
  builder.add({.begin = 3, .end = 4, .id = 2, .name = "library call", .bytes = -1});
  builder.add({.begin = 5, .end = 6, .id = 3, .name = "layer", .bytes = 64});
  analysis::Trace trace;
  REQUIRE(load(builder.bytes(), &trace).ok());
  CHECK(trace.spans.bytes[0] == 0);
  CHECK(trace.spans.bytes[1] == analysis::SpanTable::kUnknownBytes);
  CHECK(trace.spans.bytes[2] == 64);
}

TEST_CASE("a forward link names a ring and a span of it, and most spans have none") {
  TraceBuilder builder;
  builder.add_process(7);
  builder.add({.begin = 1, .end = 2, .id = 1, .name = "forward"});
  builder.add({.begin = 3, .end = 4, .id = 2, .name = "between"});
  builder.add({.begin = 5, .end = 6, .id = 3, .name = "backward", .forward = 9, .forward_ring = 2});
  builder.add({.begin = 7, .end = 8, .id = 4, .name = "backward", .forward = 1});
  builder.add({.begin = 9, .end = 10, .id = 5, .name = "another thread", .thread = 101, .ring = 1});
  analysis::Trace trace;
  REQUIRE(load(builder.bytes(), &trace).ok());
  CHECK(trace.spans.forward_of(0) == 0);
  CHECK(trace.spans.forward_of(1) == 0);
  CHECK(trace.spans.forward_of(2) == (uint64_t{3} << 32 | 9));
  CHECK(trace.spans.forward_of(3) == (uint64_t{1} << 32 | 1));
  CHECK(trace.spans.forward_of(4) == 0);
}

TEST_CASE("what an import says of itself and of its devices arrives") {
  TraceBuilder builder;
  auto* header = builder.message().mutable_packet(0)->mutable_header();
  header->set_source("kineto");
  header->add_source_file("a.json");
  header->add_source_file("b.json");
  header->set_layers("op");
  header->set_model_span("step.*");
  header->set_counted(true);
  builder.add_process(7);
  auto* device = builder.packet(1)->mutable_device();
  device->set_name("GPU");
  device->set_l2_cache_bytes(uint64_t{50} << 20);
  device->set_memory_bandwidth(3'350'000'000'000);
  device->set_chip("GH100");
  analysis::Trace trace;
  REQUIRE(load(builder.bytes(), &trace).ok());
  const analysis::Segment& segment = trace.segments.at(0);
  CHECK(segment.source == "kineto");
  CHECK(segment.source_files == std::vector<std::string>{"a.json", "b.json"});
  CHECK(segment.layers == "op");
  CHECK(segment.model_span == "step.*");
  CHECK(segment.counted);
  REQUIRE(trace.devices.size() == 1);
  CHECK(trace.devices[0].l2_cache_bytes == uint64_t{50} << 20);
  CHECK(trace.devices[0].memory_bandwidth == 3'350'000'000'000);
  CHECK(trace.devices[0].chip == "GH100");
}

/// Counters of two kernels, three metrics each.
CounterBatch counters(TraceBuilder& builder) {
  CounterBatch batch;
  batch.set_device(1);
  batch.set_passes(2);
  batch.set_detail("kernel replay");
  for (const char* metric : {"a", "b", "c"}) batch.add_metric(builder.string_id(1, metric));
  batch.set_count(2);
  for (const char* kernel : {"gemm", "relu"}) batch.add_name(builder.string_id(1, kernel));
  batch.add_ordinal(5);
  batch.add_ordinal(2);
  for (int i = 0; i < 6; ++i) batch.add_value(i + 0.5);
  return batch;
}

/// Whether the loader takes the batch once it is spoilt.
bool takes_counters(void (*spoil)(CounterBatch& batch)) {
  TraceBuilder builder;
  builder.add_process(1);
  CounterBatch batch = counters(builder);
  spoil(batch);
  *builder.packet(1)->mutable_counters() = batch;
  analysis::Trace trace;
  REQUIRE(load(builder.bytes(), &trace).ok());
  CHECK(trace.counters.size() == 1 - trace.files[0].corrupt_packets);
  return trace.files[0].corrupt_packets == 0;
}

TEST_CASE("counters arrive by kernel and metric") {
  TraceBuilder builder;
  builder.add_process(1);
  CounterBatch batch = counters(builder);
  batch.set_value(4, std::numeric_limits<double>::infinity());
  *builder.packet(1)->mutable_counters() = batch;
  batch.add_execution(2);  // zigzag: 1, and then one back
  batch.add_execution(1);
  *builder.packet(1)->mutable_counters() = batch;
  analysis::Trace trace;
  REQUIRE(load(builder.bytes(), &trace).ok());
  REQUIRE(trace.counters.size() == 2);
  const analysis::CounterBatch& read = trace.counters[0];
  CHECK(trace.processes[read.process].number == 1);
  CHECK(read.device == 1);
  CHECK(read.passes == 2);
  CHECK(read.detail == "kernel replay");
  REQUIRE(read.metrics.size() == 3);
  CHECK(trace.text(read.metrics[2]) == "c");
  REQUIRE(read.size() == 2);
  CHECK(trace.text(read.name[1]) == "relu");
  CHECK(read.ordinal == std::vector<uint64_t>{5, 7});
  CHECK(read.execution.empty());
  CHECK(read.of(0, 2) == 2.5);
  CHECK(std::isnan(read.of(1, 1)));
  CHECK(read.of(1, 2) == 5.5);
  CHECK(trace.counters[1].execution == std::vector<uint64_t>{1, 0});
}

TEST_CASE("counters that contradict themselves are refused whole") {
  CHECK(takes_counters([](CounterBatch&) {}));
  CHECK(takes_counters([](CounterBatch& batch) { batch.clear_ordinal(); }));
  CHECK_FALSE(takes_counters([](CounterBatch& batch) { batch.set_count(3); }));
  CHECK_FALSE(takes_counters([](CounterBatch& batch) { batch.set_count(0); }));
  CHECK_FALSE(takes_counters([](CounterBatch& batch) { batch.set_count(UINT32_MAX); }));
  CHECK_FALSE(takes_counters([](CounterBatch& batch) { batch.clear_metric(); }));
  CHECK_FALSE(takes_counters([](CounterBatch& batch) { batch.add_metric(1); }));
  CHECK_FALSE(takes_counters([](CounterBatch& batch) { batch.clear_name(); }));
  CHECK_FALSE(takes_counters([](CounterBatch& batch) { batch.add_name(1); }));
  CHECK_FALSE(takes_counters([](CounterBatch& batch) { batch.add_ordinal(1); }));
  CHECK_FALSE(takes_counters([](CounterBatch& batch) { batch.set_ordinal(1, UINT64_MAX); }));
  CHECK_FALSE(takes_counters([](CounterBatch& batch) { batch.add_execution(1); }));
  CHECK_FALSE(takes_counters([](CounterBatch& batch) { batch.clear_value(); }));
  CHECK_FALSE(takes_counters([](CounterBatch& batch) { batch.add_value(1); }));
}

TEST_CASE("a concatenation is two traces: processes and strings do not mix") {
  const std::string one = small_trace();
  TraceBuilder other;
  other.add_process(99);
  other.add_evaluation(10, {1}, "Other");
  const Analysed analysed({one + other.bytes()});
  REQUIRE(analysed.trace.segments.size() == 2);
  CHECK(analysed.evaluations.groups.size() == 2);
  CHECK(analysed.trace.text(analysed.evaluations.groups[1].model) == "Other");
  CHECK(analysis::input_warnings(analysed.trace).empty());
  const Analysed files({one, other.bytes()});
  CHECK(files.trace.spans.size() == analysed.trace.spans.size());
  CHECK(files.evaluations.groups.size() == 2);
}

TEST_CASE("strings of the collector and sparse ids") {
  TraceBuilder builder;
  builder.add_process(1);
  auto* strings = builder.packet(1)->mutable_strings();
  strings->set_first_id(xsp::kFirstCollectorString);
  strings->add_text("node");
  strings->add_text("Conv");
  builder.packet(1)->mutable_strings()->set_first_id(4'000'000'000);
  builder.message().mutable_packet(builder.message().packet_size() - 1)->mutable_strings()->add_text("far");
  auto* batch = builder.packet(1)->mutable_spans();
  batch->set_count(3);
  for (int i = 0; i < 3; ++i) {
    batch->add_begin(5);
    batch->add_level_kind(3);
  }
  batch->add_name(xsp::kFirstCollectorString);
  batch->add_name(xsp::kFirstCollectorString + 1);
  batch->add_name(4'000'000'000);
  analysis::Trace trace;
  REQUIRE(load(builder.bytes(false), &trace).ok());
  CHECK(trace.text(trace.spans.name[0]) == "node");
  CHECK(trace.text(trace.spans.name[1]) == "Conv");
  CHECK(trace.text(trace.spans.name[2]) == "far");
}

TEST_CASE("a string that is not there is counted and named as lost") {
  TraceBuilder builder;
  builder.add_process(1);
  auto* batch = builder.packet(1)->mutable_spans();
  batch->set_count(1);
  batch->add_begin(5);
  batch->add_level_kind(3);
  batch->add_name(17);
  analysis::Trace trace;
  REQUIRE(load(builder.bytes(), &trace).ok());
  CHECK(trace.missing_strings == 1);
  CHECK(trace.text(trace.spans.name[0]) == "(name lost)");
}

TEST_CASE("a batch that contradicts itself is refused whole") {
  const auto refused = [](auto&& damage) {
    TraceBuilder builder;
    builder.add_process(1);
    auto* batch = builder.packet(1)->mutable_spans();
    batch->set_count(2);
    for (int i = 0; i < 2; ++i) {
      batch->add_begin(5);
      batch->add_duration(5);
      batch->add_level_kind(3);
    }
    damage(batch);
    analysis::Trace trace;
    REQUIRE(load(builder.bytes(), &trace).ok());
    CHECK(trace.spans.size() == (trace.files[0].corrupt_packets == 0 ? 2 : 0));
    return trace.files[0].corrupt_packets == 1;
  };
  CHECK_FALSE(refused([](SpanBatch*) {}));
  CHECK(refused([](SpanBatch* batch) { batch->set_count(3); }));
  CHECK(refused([](SpanBatch* batch) { batch->set_count(1); }));
  CHECK(refused([](SpanBatch* batch) { batch->set_count(4'000'000'000); }));
  CHECK(refused([](SpanBatch* batch) { batch->add_duration(1); }));
  CHECK(refused([](SpanBatch* batch) { batch->set_duration(0, UINT64_MAX); }));
  CHECK(refused([](SpanBatch* batch) { batch->set_begin(0, -1); }));
  CHECK(refused([](SpanBatch* batch) { batch->set_level_kind(1, 7); }));
  CHECK(refused([](SpanBatch* batch) { batch->set_level_kind(1, 0); }));
  CHECK(refused([](SpanBatch* batch) { batch->clear_level_kind(); }));
  CHECK(refused([](SpanBatch* batch) { batch->add_name(1); }));
  CHECK(refused([](SpanBatch* batch) { batch->add_failed(1); }));
  CHECK(refused([](SpanBatch* batch) {
    batch->add_failed(0);
    batch->add_failed(2);
  }));
}

TEST_CASE("every column of an execution arrives") {
  TraceBuilder builder;
  builder.add_process(1);
  SpanSpec span{.begin = 10, .end = 20, .id = 3, .level = LEVEL_RUNTIME, .kind = KIND_RUNTIME_CALL};
  span.correlation = 900;
  builder.add(span);
  ExecutionSpec kernel{.begin = 100, .end = 250, .name = "gemm", .launch = 3, .launch_ring = 0, .capture = 8};
  kernel.capture_ring = 4;
  kernel.correlation = 900;
  kernel.graph_node = uint64_t{1} << 40;
  kernel.graph = 6;
  kernel.device = 1;
  kernel.context = 2;
  kernel.stream = 13;
  kernel.configuration = "grid=[1,1,1]";
  builder.add_executions({{.begin = 90, .end = 90, .name = "free", .kind = KIND_MEMORY, .bytes = 64}, kernel, kernel});
  analysis::Trace trace;
  REQUIRE(load(builder.bytes(), &trace).ok());
  CHECK(trace.files[0].corrupt_packets == 0);
  REQUIRE(trace.spans.size() == 4);
  CHECK(trace.spans.correlation_of(0) == 900);
  CHECK(trace.spans.correlation_of(1) == 0);
  const auto& executions = trace.executions;
  CHECK(executions.row == std::vector<analysis::Row>{1, 2, 3});
  CHECK(trace.spans.kind[1] == analysis::Kind::kMemory);
  CHECK(trace.spans.bytes[1] == 64);
  CHECK(executions.launch[0].id == 0);
  CHECK(executions.correlation[0] == 0);
  for (const size_t i : {1u, 2u}) {
    const analysis::Row row = executions.row[i];
    CHECK(trace.spans.begin[row] == 100);
    CHECK(trace.spans.end[row] == 250);
    CHECK(trace.spans.level[row] == Level::kDevice);
    CHECK(trace.text(trace.spans.name[row]) == "gemm");
    CHECK(trace.text(trace.spans.shape[row]) == "grid=[1,1,1]");
    CHECK(trace.spans.bytes[row] == analysis::SpanTable::kUnknownBytes);
    CHECK(trace.tracks[trace.spans.track[row]].thread == 0);
    CHECK(executions.correlation[i] == 900);
    CHECK(executions.graph_node[i] == uint64_t{1} << 40);
    CHECK(executions.graph[i] == 6);
    CHECK(executions.launch[i].ring == 1);
    CHECK(executions.launch[i].id == 3);
    CHECK(executions.capture[i].ring == 5);
    CHECK(executions.capture[i].id == 8);
    CHECK(trace.queues[executions.queue[i]] == analysis::Queue{1, 1, 2, 13});
  }
  CHECK(trace.queues.size() == 2);
  CHECK(trace.processes[1].spans == 4);
}

TEST_CASE("a batch of activities that contradicts itself is refused whole") {
  const auto refused = [](auto&& damage) {
    TraceBuilder builder;
    builder.add_process(1);
    builder.add_executions({{.begin = 1, .end = 2, .name = "before"}});
    auto* batch = builder.packet(1)->mutable_activities();
    batch->set_count(2);
    batch->add_queue()->set_stream(7);
    for (int i = 0; i < 2; ++i) {
      batch->add_begin(5);
      batch->add_duration(5);
      batch->add_level_kind(LEVEL_DEVICE | KIND_KERNEL << 3);
    }
    damage(batch);
    analysis::Trace trace;
    REQUIRE(load(builder.bytes(), &trace).ok());
    const size_t expected = trace.files[0].corrupt_packets == 0 ? 3 : 1;
    CHECK(trace.spans.size() == expected);
    CHECK(trace.executions.size() == expected);
    CHECK(trace.executions.launch.size() == expected);
    return trace.files[0].corrupt_packets == 1;
  };
  CHECK_FALSE(refused([](ActivityBatch*) {}));
  CHECK_FALSE(refused([](ActivityBatch* batch) { batch->clear_queue(); }));
  CHECK(refused([](ActivityBatch* batch) { batch->set_count(3); }));
  CHECK(refused([](ActivityBatch* batch) { batch->set_count(4'000'000'000); }));
  CHECK(refused([](ActivityBatch* batch) { batch->add_duration(1); }));
  CHECK(refused([](ActivityBatch* batch) { batch->set_duration(0, UINT64_MAX); }));
  CHECK(refused([](ActivityBatch* batch) { batch->set_begin(0, -1); }));
  CHECK(refused([](ActivityBatch* batch) { batch->clear_level_kind(); }));
  CHECK(refused([](ActivityBatch* batch) { batch->set_level_kind(1, LEVEL_RUNTIME | KIND_RUNTIME_CALL << 3); }));
  CHECK(refused([](ActivityBatch* batch) { batch->set_level_kind(1, LEVEL_DEVICE | KIND_NVTX_RANGE << 3); }));
  CHECK(refused([](ActivityBatch* batch) { batch->add_name(1); }));
  CHECK(refused([](ActivityBatch* batch) { batch->add_launch(1); }));
  CHECK(refused([](ActivityBatch* batch) {
    batch->add_queue_index(0);
    batch->add_queue_index(1);
  }));
  CHECK(refused([](ActivityBatch* batch) {
    batch->add_launch(1);
    batch->add_launch(uint64_t{1} << 34);
  }));
  CHECK(refused([](ActivityBatch* batch) {
    batch->add_bytes(1);
    batch->add_bytes(UINT64_MAX);
  }));
}

TEST_CASE("of gaps with one reason, level and begin the last one holds; devices and clocks") {
  TraceBuilder builder;
  builder.add_process(1);
  for (const uint64_t end : {0, 70}) {
    auto* gap = builder.packet(1)->mutable_gap();
    gap->set_reason(xsp::Gap::OTHER_PROFILER);
    gap->set_level(LEVEL_RUNTIME);
    gap->set_begin_ns(50);
    gap->set_end_ns(end);
    gap->set_detail("Kineto");
  }
  auto* other = builder.packet(1)->mutable_gap();
  other->set_reason(xsp::Gap::OUTSIDE_RANGE);
  other->set_begin_ns(50);
  auto* device = builder.packet(1)->mutable_device();
  device->set_index(2);
  device->set_name("H200");
  device->set_compute_capability_major(9);
  device->set_multiprocessors(132);
  device->set_memory_bytes(1);
  device->set_driver_version(13000);
  device->set_cupti_version(28);
  builder.packet(1)->mutable_clock()->set_error_ns(40);
  auto* clock = builder.packet(1)->mutable_clock();
  clock->set_clock(CLOCK_CUPTI);
  clock->set_error_ns(300);
  builder.packet(1)->mutable_gap()->set_level(static_cast<xsp::Level>(7));
  analysis::Trace trace;
  builder.add({.begin = 1, .end = 2, .name = "span"});
  REQUIRE(load(builder.bytes(), &trace).ok());
  CHECK(trace.files[0].corrupt_packets == 1);
  REQUIRE(trace.gaps.size() == 2);
  CHECK(trace.gaps[0].reason == analysis::GapReason::kOtherProfiler);
  CHECK(trace.gaps[0].level == Level::kRuntime);
  CHECK(trace.gaps[0].begin == 50);
  CHECK(trace.gaps[0].end == 70);
  CHECK(trace.gaps[0].detail == "Kineto");
  CHECK(trace.gaps[1].reason == analysis::GapReason::kOutsideRange);
  REQUIRE(trace.devices.size() == 1);
  CHECK(trace.devices[0].index == 2);
  CHECK(trace.devices[0].name == "H200");
  CHECK(trace.devices[0].compute_capability_major == 9);
  CHECK(trace.devices[0].multiprocessors == 132);
  CHECK(trace.devices[0].driver_version == 13000);
  CHECK(trace.devices[0].cupti_version == 28);
  const auto& process = trace.processes[trace.gaps[0].process];
  CHECK(process.clock_error_ns == 40);
  CHECK(process.device_clock_error_ns == 300);
}

TEST_CASE("a gap in the packet sequence is a loss") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add_evaluation(1, {1});
  auto bytes = builder.bytes();
  xsp::Trace message;
  REQUIRE(message.ParseFromString(bytes));
  for (int i = 0; i < message.packet_size(); ++i) {
    if (message.packet(i).has_spans()) message.mutable_packet()->DeleteSubrange(i, 1);
  }
  builder.message() = message;
  analysis::Trace trace;
  REQUIRE(load(message.SerializeAsString(), &trace).ok());
  CHECK(analysis::is_incomplete(trace));
}

}  // namespace
}  // namespace xsp::test
