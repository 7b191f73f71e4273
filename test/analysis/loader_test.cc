#include "analysis/trace/loader.h"

#include "analysis/tables/loss_notes.h"
#include "test/analysis/contains.h"
#include "test/analysis/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::Level;
using analysis::MemorySource;
using analysis::Status;

Status load(const std::string& bytes, analysis::Trace* trace) {
  MemorySource source(bytes);
  return analysis::load_trace(source, "test.pb", trace);
}

std::string small_trace() {
  TraceBuilder builder;
  builder.add_process(4242);
  builder.add_evaluation(10, {3, 2});
  builder.add_evaluation(20, {2, 2});
  return builder.bytes();
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

TEST_CASE("a newer format is refused by its number, unknown fields are skipped") {
  TraceBuilder builder;
  builder.message().mutable_packet(0)->mutable_header()->set_format_version(2);
  analysis::Trace trace;
  const Status status = load(builder.bytes(), &trace);
  CHECK(contains(status.error, "trace format 2"));

  std::string bytes = small_trace();
  bytes += std::string(
      "\x12\x03"
      "abc",
      5);  // Trace.2: bytes
  bytes += std::string(
      "\x0a\x05\x9a\x06\x02"
      "ab",
      7);  // Packet.99: bytes
  analysis::Trace with_unknown;
  REQUIRE(load(bytes, &with_unknown).ok());
  CHECK(with_unknown.spans.size() == 6);
  CHECK(with_unknown.files[0].corrupt_packets == 0);
}

TEST_CASE("foreign files are named") {
  const auto error = [](std::string_view bytes) {
    analysis::Trace trace;
    return load(std::string(bytes), &trace).error;
  };
  using namespace std::string_view_literals;
  CHECK(contains(error(""), "is empty"));
  CHECK(contains(error("{\"traceEvents\": []}"), "JSON"));
  CHECK(contains(error("\x1f\x8b\x08\0\0\0"sv), "gzip"));
  CHECK(contains(error("SQLite format 3\0\x10"sv), "SQLite"));
  CHECK(contains(error("\x0a\x04\x40\x01\x50\x02"sv), "not an XSP trace"));  // Perfetto-like
}

TEST_CASE("a trace torn at any byte is readable up to there") {
  const std::string whole = small_trace();
  analysis::Trace all;
  REQUIRE(load(whole, &all).ok());
  for (size_t size = 1; size < whole.size(); ++size) {
    analysis::Trace trace;
    const Status status = load(whole.substr(0, size), &trace);
    CHECK(trace.spans.size() <= all.spans.size());
    if (status.ok()) REQUIRE(analysis::is_incomplete(trace));
    report_everything(whole.substr(0, size));
  }
}

TEST_CASE("no single flipped bit breaks the report") {
  const std::string whole = small_trace();
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    report_everything(damaged);
  }
}

}  // namespace
}  // namespace xsp::test
