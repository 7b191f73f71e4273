/// What the loader says of files that are no trace, not whole, or damaged.

#include "analysis/tables/loss_notes.h"
#include "analysis/trace/loader.h"
#include "test/analysis/support/loaded_bytes.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

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

TEST_CASE("a trace that ends in its header was cut off, and is not told as another format") {
  TraceBuilder builder;
  builder.message().mutable_packet(0)->mutable_header()->set_producer("xsp-collector");
  builder.message().mutable_packet(0)->mutable_header()->set_kernel(std::string(200, 'k'));
  const std::string whole = builder.bytes();
  for (size_t size = 32; size < 200; ++size) {
    analysis::Trace trace;
    const Status status = load(whole.substr(0, size), &trace);
    CHECK(status.error == "test.pb ends after " + std::to_string(size) +
                              " bytes, before anything was recorded (the recording was cut off)");
    CHECK(status.hint == "record again: xsp-run -f -o test.pb -- COMMAND");
  }
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
