/// Recordings that are kept in several files.

#include <filesystem>
#include <fstream>

#include "analysis/tables/loss_notes.h"
#include "analysis/trace/loader.h"
#include "analysis/trace/recording_parts.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/temporary_folder.h"

namespace xsp::test {
namespace {

using analysis::MemorySource;
using analysis::OpenRecordings;
using xsp::Status;

/// Spans whose parents are in later parts: a root ends after its layers, and the next part begins in between.
struct Recording {
  std::vector<std::string> parts;
  std::string whole;
};

constexpr uint32_t kParts = 4;

void add_layers(TraceBuilder* builder, uint32_t number) {
  const int64_t begin = 1'000'000 * (10 + 10 * int64_t{number});
  for (uint32_t i = 0; i < 3; ++i) {
    SpanSpec layer{.begin = begin + i * 2'000'000, .end = begin + i * 2'000'000 + 1'000'000 + number * 1000};
    layer.id = 4 * number + 2 + i;
    layer.parent = 4 * number + 1;
    layer.kind = KIND_TORCH_MODULE;
    layer.name = "l" + std::to_string(i);
    layer.type = i == 0 ? "Conv2d" : "ReLU";
    builder->add(layer);
  }
}

void add_root(TraceBuilder* builder, uint32_t number) {
  const int64_t begin = 1'000'000 * (10 + 10 * int64_t{number});
  SpanSpec root{.begin = begin, .end = begin + 7'000'000 + number * 1000, .id = 4 * number + 1};
  root.level = LEVEL_MODEL;
  root.kind = KIND_TORCH_ROOT;
  root.name = "Net";
  root.input = "[4,3]";
  builder->add(root);
}

void add_circumstances(TraceBuilder* builder, uint32_t part) {
  auto* loss = builder->packet(1)->mutable_loss();
  loss->set_reason(Loss::RING_FULL);
  loss->set_count(part * 10);
  auto* device = builder->packet(1)->mutable_device();
  device->set_index(0);
  device->set_name("GPU");
  auto* notice = builder->packet(1)->mutable_notice();
  notice->set_severity(Notice::WARNING);
  notice->set_component("torch");
  notice->set_text("an old version");
  auto* gap = builder->packet(1)->mutable_gap();
  gap->set_reason(Gap::NOT_STORED);
  gap->set_level(LEVEL_LAYER);
  gap->set_begin_ns(5);
  gap->set_end_ns(part < kParts ? 0 : 9);
}

Recording make_recording(uint32_t evaluations_a_part = 5) {
  Recording made;
  TraceBuilder whole;
  whole.add_process(7);
  TraceBuilder part;
  part.describe_part(1, 1);
  part.add_process(7);
  uint32_t number = 0;
  for (uint32_t index = 1; index <= kParts; ++index) {
    if (index > 1) {
      part = part.next_part(10 * int64_t{number});
      add_root(&part, number - 1);  // its layers are in the part before
    }
    add_circumstances(&part, index);
    for (uint32_t i = 0; i < evaluations_a_part; ++i, ++number) {
      add_layers(&part, number);
      add_layers(&whole, number);
      if (i + 1 < evaluations_a_part || index == kParts) add_root(&part, number);
      add_root(&whole, number);
    }
    made.parts.push_back(part.bytes());
  }
  add_circumstances(&whole, kParts);
  made.whole = whole.bytes();
  return made;
}

bool any_contains(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const auto& text) { return text.find(part) != std::string::npos; });
}

Status load(const std::vector<std::string>& inputs, analysis::Trace* trace) {
  OpenRecordings recordings;
  for (const std::string& input : inputs) {
    MemorySource source(input);
    if (Status status = analysis::load_trace(source, "test.pb", &recordings, trace); !status.ok()) return status;
  }
  return {};
}

/// Rows of a table as one text; notes are of files, too.
std::string rows_of(const analysis::Table& table) {
  std::string rows;
  for (const auto& row : table.rows) {
    for (const auto& value : row) rows += text(value).empty() ? std::to_string(number(value)) + " " : text(value) + " ";
    rows += "\n";
  }
  return rows;
}

TEST_CASE("the parts of a recording are one segment with the processes of one") {
  const Recording recording = make_recording();
  analysis::Trace trace;
  REQUIRE(load(recording.parts, &trace).ok());
  REQUIRE(trace.segments.size() == 1);
  CHECK(trace.segments[0].parts->parts.size() == kParts);
  CHECK(trace.segments[0].parts->missing_before() == 0);
  CHECK(trace.segments[0].parts->missing_between() == 0);
  CHECK(trace.segments[0].ended);
  CHECK(trace.segments[0].complete);
  CHECK(trace.spans.size() == 4 * 5 * 4);
  const auto hello = std::count_if(trace.processes.begin(), trace.processes.end(),
                                   [](const analysis::Process& process) { return process.said_hello; });
  CHECK(hello == 1);
  CHECK(trace.conflicting_strings == 0);
  CHECK(trace.missing_strings == 0);
  CHECK(analysis::input_warnings(trace).empty());
}

TEST_CASE("what parts say anew is there once, and totals are the latest") {
  const Recording recording = make_recording();
  std::vector<std::string> parts = recording.parts;
  if (GENERATE(false, true)) std::reverse(parts.begin(), parts.end());
  analysis::Trace trace;
  REQUIRE(load(parts, &trace).ok());
  CHECK(analysis::losses(trace, analysis::LossReason::kRingFull) == 10 * kParts);
  CHECK(trace.devices.size() == 1);
  CHECK(trace.notices.size() == 1);
  REQUIRE(trace.gaps.size() == 1);
  CHECK(trace.gaps[0].end == 9);
  CHECK(trace.gaps[0].reason == analysis::GapReason::kNotStored);
}

TEST_CASE("tables of all parts are those of the same recording in one file, in whatever order they come") {
  const Recording recording = make_recording();
  const Analysed whole({recording.whole});
  std::vector<std::string> parts = recording.parts;
  const int order = GENERATE(0, 1, 2, 3);
  if (order == 1) std::reverse(parts.begin(), parts.end());
  if (order == 2) std::swap(parts[1], parts[2]);
  if (order == 3) parts = {parts[2] + parts[0] + parts[3] + parts[1]};
  const Analysed analysed(parts);
  for (const char* id : {"A1", "A2", "A3", "A4", "A5", "A6", "A7", "C2"}) {
    INFO(id << " order " << order);
    CHECK(rows_of(analysed.table(id)) == rows_of(whole.table(id)));
  }
  const analysis::Table q1 = analysed.table("Q1");
  CHECK(quality(q1, "unattached", "layer") == 0);
  CHECK(quality(q1, "sequence_gaps") == 0);
  CHECK(quality(q1, "incomplete_traces") == 0);
}

TEST_CASE("a part alone is read like a trace of its own") {
  const Recording recording = make_recording();
  const Analysed analysed({recording.parts[2]});
  REQUIRE(analysed.study);
  CHECK(number(analysed.table("A1").rows[0][4]) > 0);
  CHECK(analysed.trace.missing_strings == 0);
  CHECK(analysed.trace.segments[0].parts->missing_before() == 2);
  CHECK(analysis::input_warnings(analysed.trace).empty());
}

TEST_CASE("sequence numbers may go on from part to part or begin anew, and a gap inside a part is seen") {
  const Recording recording = make_recording();
  xsp::Trace message;
  REQUIRE(message.ParseFromString(recording.parts[1]));
  const bool goes_on = GENERATE(false, true);
  if (goes_on) {
    for (auto& packet : *message.mutable_packet()) packet.set_sequence(packet.sequence() + 100);
  }
  analysis::Trace trace;
  REQUIRE(load({recording.parts[0], message.SerializeAsString()}, &trace).ok());
  CHECK(analysis::input_warnings(trace).empty());
  message.mutable_packet()->DeleteSubrange(message.packet_size() / 2, 1);
  analysis::Trace torn;
  REQUIRE(load({recording.parts[0], message.SerializeAsString()}, &torn).ok());
  uint64_t gaps = 0;
  for (const analysis::Process& process : torn.processes) gaps += process.sequence_gaps;
  CHECK(gaps == 1);
}

TEST_CASE("a part that is given twice counts once") {
  const Recording recording = make_recording();
  analysis::Trace trace;
  REQUIRE(load({recording.parts[0], recording.parts[1] + recording.parts[1], recording.parts[0]}, &trace).ok());
  CHECK(trace.spans.size() == 2 * 5 * 4 - 1);
  CHECK(trace.segments[0].parts->given_twice == 2);
  CHECK(any_contains(analysis::input_warnings(trace), "given twice"));
}

TEST_CASE("parts that were removed at the begin are told, and one that is missing between others is a warning") {
  const Recording recording = make_recording();
  const Analysed later({recording.parts[2], recording.parts[3]});
  CHECK(analysis::input_warnings(later.trace).empty());
  CHECK(has_note(later.table("Q1"), "2 of 4 parts"));
  CHECK(quality(later.table("Q1"), "parts_removed") == 2);
  analysis::Trace torn;
  REQUIRE(load({recording.parts[0], recording.parts[3]}, &torn).ok());
  CHECK(torn.segments[0].parts->missing_between() == 2);
  CHECK(any_contains(analysis::input_warnings(torn), "2 parts"));
}

TEST_CASE("the part that is being written is read, and told") {
  Recording recording = make_recording();
  xsp::Trace message;
  REQUIRE(message.ParseFromString(recording.parts[3]));
  message.mutable_packet()->RemoveLast();
  recording.parts[3] = message.SerializeAsString();
  analysis::Trace trace;
  REQUIRE(load(recording.parts, &trace).ok());
  CHECK_FALSE(trace.segments[0].ended);
  const auto warnings = analysis::input_warnings(trace);
  REQUIRE(warnings.size() == 1);
  CHECK(any_contains(warnings, "part 4"));
}

TEST_CASE("several recordings are several segments") {
  const Recording recording = make_recording();
  std::vector<std::string> inputs = recording.parts;
  for (const std::string& part : recording.parts) {
    xsp::Trace message;
    REQUIRE(message.ParseFromString(part));
    message.mutable_packet(0)->mutable_header()->mutable_part()->set_recording("another");
    inputs.push_back(message.SerializeAsString());
  }
  analysis::Trace trace;
  REQUIRE(load(inputs, &trace).ok());
  CHECK(trace.segments.size() == 2);
  CHECK(trace.spans.size() == 2 * 4 * 5 * 4);
  CHECK(trace.segments[1].spans == 4 * 5 * 4);
}

TEST_CASE("a folder of parts is read with the one that is being written") {
  const Recording recording = make_recording();
  const TemporaryFolder folder;
  // By name in another order than by index.
  write_file(folder / "000009.pb", recording.parts[0]);
  write_file(folder / "000010.pb", recording.parts[1]);
  write_file(folder / "000003.pb", recording.parts[2]);
  write_file(folder / "000012.pb.partial", recording.parts[3]);
  TraceBuilder other;
  other.add_process(1);
  other.add_evaluation(1, {1});
  write_file(folder / "cut-off.pb.partial", other.bytes());
  analysis::Trace trace;
  REQUIRE(analysis::load_path(folder.path(), &trace).ok());
  REQUIRE(trace.segments.size() == 1);
  CHECK(trace.spans.size() == 4 * 5 * 4);
  REQUIRE(trace.files.size() == 4);
  CHECK(trace.files[0].path.ends_with("000009.pb"));
  CHECK(trace.files[3].path.ends_with("000012.pb.partial"));
}

TEST_CASE("files of one recording are loaded in order of index, however they are given") {
  const Recording recording = make_recording();
  const TemporaryFolder folder;
  const std::vector<std::string> paths = {
      write_file(folder / "d.pb", recording.parts[3]), write_file(folder / "b.pb", recording.parts[1]),
      write_file(folder / "other.pb", recording.whole), write_file(folder / "a.pb", recording.parts[0]),
      write_file(folder / "c.pb", recording.parts[2])};
  analysis::Trace trace;
  REQUIRE(analysis::load_paths(paths, {}, &trace).ok());
  REQUIRE(trace.files.size() == 5);
  CHECK(trace.files[0].path.ends_with("a.pb"));
  CHECK(trace.files[1].path.ends_with("b.pb"));
  CHECK(trace.files[2].path.ends_with("other.pb"));
  CHECK(trace.files[3].path.ends_with("c.pb"));
  CHECK(trace.files[4].path.ends_with("d.pb"));
  CHECK(trace.segments.size() == 2);
}

TEST_CASE("the last minutes are the parts that reach into them") {
  const Recording recording = make_recording();
  const TemporaryFolder folder;
  for (uint32_t i = 0; i < kParts; ++i) write_file(folder / (std::to_string(i + 1) + ".pb"), recording.parts[i]);
  // Parts begin every 50 ms, and the last span ends at 208 ms.
  const auto load_last = [&](int64_t ms) {
    analysis::Trace trace;
    const std::string path = folder.path();
    REQUIRE(analysis::load_paths({&path, 1}, {.last_ns = ms * 1'000'000}, &trace).ok());
    CHECK(trace.segments[0].parts->not_asked_for == kParts - trace.files.size());
    return trace.files.size();
  };
  CHECK(load_last(1) == 1);
  CHECK(load_last(50) == 1);
  CHECK(load_last(70) == 2);
  CHECK(load_last(120) == 3);
  CHECK(load_last(1000) == 4);
}

}  // namespace
}  // namespace xsp::test
