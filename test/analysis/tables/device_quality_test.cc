#include "analysis/report/redaction.h"
#include "analysis/tables/loss_notes.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::Table;

SpanSpec span_of_kind(int level, int kind, uint32_t id, uint32_t parent, int64_t begin, int64_t end) {
  SpanSpec spec{.begin = begin, .end = end, .id = id, .parent = parent, .level = level, .kind = kind, .name = "Net"};
  return spec;
}

std::string note_of(const Table& q1, const std::string& quantity, const std::string& level = "all") {
  for (const auto& row : q1.rows) {
    if (text(row[0]) == quantity && text(row[1]) == level) return text(row[3]);
  }
  return "no row";
}

bool holds(const std::string& whole, const std::string& part) { return whole.find(part) != std::string::npos; }

TEST_CASE("what CUPTI lost is in Q1 and below the tables that it touches") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add_evaluation(1, {2});
  builder.add_executions({{.begin = 5, .end = 9, .name = "kernel"}});
  const auto lose = [&](xsp::Loss::Reason reason, uint64_t count) {
    auto* loss = builder.packet(1)->mutable_loss();
    loss->set_reason(reason);
    loss->set_count(count);
  };
  lose(xsp::Loss::ACTIVITY, 7);
  lose(xsp::Loss::ZERO_TIME, 5);
  lose(xsp::Loss::INVERTED, 3);
  lose(xsp::Loss::GRAPH_NODES, 2);
  const Analysed analysed({builder.bytes()});
  const Table q1 = analysed.table("Q1");
  CHECK(quality(q1, "dropped", "device") == 7);
  CHECK(quality(q1, "dropped") == 7);
  CHECK(quality(q1, "zero_time", "device") == 5);
  CHECK(quality(q1, "inverted") == 3);
  CHECK(quality(q1, "graph_nodes_lost", "device") == 2);
  CHECK(quality(q1, "unmatched_execution") == 1);
  CHECK(analysis::is_incomplete(analysed.trace));
  const Table a13 = analysed.table("A13");
  CHECK(has_note(a13, "7 spans dropped"));
  CHECK(has_note(a13, "8 GPU activities without a valid time from CUPTI"));
  CHECK(has_note(a13, "1 GPU activity (kernels, copies, memsets) without a launch"));
  CHECK(has_note(a13, "2 nodes of graphs not kept"));
}

TEST_CASE("operators that were taken out of a profile are in Q1 with those that the profiler recorded") {
  TraceBuilder builder;
  for (const uint32_t pid : {1u, 2u}) builder.add_process(pid);
  for (uint32_t id = 1; id <= 3; ++id) {
    const int kind = id == 3 ? KIND_ANNOTATION : KIND_OPERATOR;
    builder.add(span_of_kind(LEVEL_APPLICATION, kind, id, 0, 10 * id, 10 * id + 5));
  }
  SpanSpec other = span_of_kind(LEVEL_APPLICATION, KIND_OPERATOR, 1, 0, 10, 15);
  other.process = 2;
  builder.add(other);
  CHECK(quality(Analysed({builder.bytes()}).table("Q1"), "removed_operators") == -2);
  auto* loss = builder.packet(1)->mutable_loss();
  loss->set_reason(xsp::Loss::REMOVED);
  loss->set_count(7);
  const Table q1 = Analysed({builder.bytes()}).table("Q1");
  CHECK(quality(q1, "removed_operators") == 7);
  CHECK(quality(q1, "recorded_operators") == 7 + 3);  // none of the process that lost nothing
  CHECK(quality(q1, "dropped") == 0);
}

TEST_CASE("a gap is a row with reason, length and who, and a note where a profiler took the device away") {
  TraceBuilder builder;
  builder.add_process(42);
  builder.message().mutable_packet(1)->mutable_hello()->set_start_ns(1'000'000);
  builder.add_evaluation(1, {2});
  auto* gap = builder.packet(1)->mutable_gap();
  gap->set_reason(xsp::Gap::OTHER_PROFILER);
  gap->set_level(LEVEL_RUNTIME);
  gap->set_begin_ns(3'500'000);
  gap->set_end_ns(5'000'000);
  gap->set_detail("libkineto");
  gap = builder.packet(1)->mutable_gap();
  gap->set_reason(xsp::Gap::NO_CALLBACKS);
  gap->set_level(LEVEL_DEVICE);
  gap->set_begin_ns(6'000'000);
  builder.packet(1)->mutable_process_end()->set_end_ns(8'000'000);
  const Analysed analysed({builder.bytes()});
  const Table q1 = analysed.table("Q1");
  CHECK(quality(q1, "gap_ms", "runtime") == Approx(1.5));
  const std::string note = note_of(q1, "gap_ms", "runtime");
  CHECK(holds(note, "another profiler used CUPTI: libkineto; pid 42, from 2.500 ms after its start"));
  CHECK(quality(q1, "gap_ms", "device") == Approx(2));
  CHECK(holds(note_of(q1, "gap_ms", "device"), "to its end"));
  CHECK(has_note(analysed.table("A1"), "another profiler used CUPTI once"));
  CHECK(analysis::is_incomplete(analysed.trace));
}

TEST_CASE("devices are listed once, whatever the number of processes") {
  TraceBuilder builder;
  for (const uint32_t pid : {1u, 2u}) {
    const uint32_t process = builder.add_process(pid);
    auto* device = builder.packet(process)->mutable_device();
    device->set_name("H200");
    device->set_compute_capability_major(9);
    device->set_driver_version(12080);
    device->set_cupti_version(26);
  }
  builder.add_evaluation(1, {2});
  const Analysed analysed({builder.bytes()});
  const Table q1 = analysed.table("Q1");
  size_t devices = 0;
  for (const auto& row : q1.rows) devices += text(row[0]) == "device" ? 1 : 0;
  CHECK(devices == 1);
  CHECK(note_of(q1, "device", "device") == "H200, compute capability 9.0, driver for CUDA 12.8, CUPTI 26");
}

/// Ranks that see one device each, under the number 0, or all the same one.
std::vector<std::string> notes_of_ranks(const std::vector<char>& uuids, bool redacted = false) {
  TraceBuilder builder;
  for (size_t rank = 0; rank < uuids.size(); ++rank) {
    const uint32_t process = builder.add_process(static_cast<uint32_t>(10 + rank), std::to_string(rank));
    auto* device = builder.packet(process)->mutable_device();
    device->set_name("H100");
    device->set_uuid(std::string(16, uuids[rank]));
  }
  builder.add_evaluation(1, {2});
  Analysed analysed({builder.bytes()});
  if (redacted) redact(&analysed.trace);
  std::vector<std::string> notes;
  for (const auto& row : analysed.table("Q1").rows) {
    if (text(row[0]) == "device") notes.push_back(text(row[3]));
  }
  return notes;
}

TEST_CASE("ranks that see one device each have as many devices as UUIDs") {
  CHECK(notes_of_ranks({1, 2, 3}) ==
        std::vector<std::string>{"H100, GPU-01010101", "H100, GPU-02020202", "H100, GPU-03030303"});
  CHECK(notes_of_ranks({1, 1, 1}) == std::vector<std::string>{"H100, GPU-01010101"});
  CHECK(notes_of_ranks({0, 0}) == std::vector<std::string>{"H100"});
  CHECK(notes_of_ranks({1, 2, 1}, true) == std::vector<std::string>{"H100", "H100"});
}

TEST_CASE("an ambiguous call names the command that runs the program serialised") {
  TraceBuilder builder;
  auto* header = builder.message().mutable_packet(0)->mutable_header();
  header->add_command("python3");
  header->add_command("it's.py");
  builder.add_process(1);
  for (uint32_t i = 0; i < 2; ++i) {
    builder.add(span_of_kind(LEVEL_LAYER, KIND_TORCH_MODULE, 2 + i, 1, 10 + 5 * i, 60 + 5 * i));
  }
  builder.add(span_of_kind(LEVEL_MODEL, KIND_TORCH_ROOT, 1, 0, 0, 100));
  SpanSpec call = span_of_kind(LEVEL_RUNTIME, KIND_RUNTIME_CALL, 1, 0, 30, 40);
  call.ring = 0x20000;
  builder.add(call);
  const std::string without = builder.bytes();
  CHECK_FALSE(has_note(Analysed({without}).table("A2"), "--serialize"));
  builder.add_executions({{.begin = 40, .end = 50, .name = "kernel", .launch = 1, .launch_ring = 0x20000}});
  const Analysed analysed({builder.bytes()});
  const std::string command = "xsp-run --serialize -- python3 'it'\\''s.py'";
  CHECK(quality(analysed.table("Q1"), "ambiguous", "runtime") == 1);
  CHECK(holds(note_of(analysed.table("Q1"), "ambiguous"), command));
  CHECK(has_note(analysed.table("A2"), command));
}

TEST_CASE("Q1 says whether the run was serialised") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add_evaluation(1, {2});
  CHECK(quality(Analysed({builder.bytes()}).table("Q1"), "serialised") == -2);
  builder.message().mutable_packet(1)->mutable_hello()->mutable_environment()->insert({"CUDA_LAUNCH_BLOCKING", "1"});
  CHECK(quality(Analysed({builder.bytes()}).table("Q1"), "serialised") == 1);
}

TEST_CASE("what a device does by itself is neither unattached nor without time") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add_evaluation(1, {2});
  builder.add_executions({{.begin = 5, .end = 9, .name = "stream", .kind = KIND_SYNCHRONIZATION},
                          {.begin = 5, .end = 5, .name = "free", .kind = KIND_MEMORY},
                          {.begin = 5, .end = 9, .name = "buffers", .kind = KIND_OVERHEAD}});
  const Table q1 = Analysed({builder.bytes()}).table("Q1");
  CHECK(quality(q1, "unattached", "device") == 0);
  CHECK(quality(q1, "zero_time", "device") == 0);
  CHECK(quality(q1, "unmatched_execution") == 0);
}

TEST_CASE("Q1 tells launches without an execution from those that the device had not come to") {
  const auto with = [](bool keeps_up) {
    TraceBuilder builder;
    builder.add_process(1);
    for (uint32_t id = 1; id <= 3; ++id) {
      SpanSpec call = span_of_kind(LEVEL_RUNTIME, KIND_RUNTIME_CALL, id, 0, 1'000'000 * id, 1'000'000 * id + 5);
      call.name = "cudaLaunchKernel";
      call.correlation = id;
      builder.add(call);
    }
    const int64_t begin = keeps_up ? 1'000'010 : 3'000'000;
    builder.add_executions({{.begin = begin, .end = begin + 5, .name = "kernel", .launch = 1}});
    return Analysed({builder.bytes()}).table("Q1");
  };
  const Table late = with(false);
  CHECK(quality(late, "unmatched_launch") == 2);
  CHECK(quality(late, "launches") == 3);
  CHECK(quality(late, "launched_ahead") == 2);
  CHECK(quality(late, "ahead_ms") == Approx(2));
  const Table lost = with(true);
  CHECK(quality(lost, "unmatched_launch") == 2);
  CHECK(quality(lost, "launched_ahead") == -2);
}

TEST_CASE("launches of kernels that were not to be recorded are not missing") {
  for (const char* activities : {"memcpy,overhead", "memcpy,kernel"}) {
    TraceBuilder builder;
    builder.add_process(1);
    builder.message().mutable_packet(1)->mutable_hello()->mutable_environment()->insert({"XSP_ACTIVITIES", activities});
    builder.add({.begin = 10,
                 .end = 20,
                 .id = 1,
                 .level = LEVEL_RUNTIME,
                 .kind = KIND_RUNTIME_CALL,
                 .name = "cudaLaunchKernel",
                 .correlation = 7});
    const Analysed analysed({builder.bytes()});
    const bool recorded = std::string(activities).find("kernel") != std::string::npos;
    CHECK(quality(analysed.table("Q1"), "unmatched_launch") == (recorded ? 1 : 0));
    CHECK(has_note(analysed.table("A10"), "kernels were not recorded (--activities memcpy,overhead)") == !recorded);
  }
}

}  // namespace
}  // namespace xsp::test
