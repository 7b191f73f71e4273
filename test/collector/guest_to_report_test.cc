/// The whole way of a call's arguments: recorded by the guest in a child process, taken by the collector, read by the
/// loader.

#include <csignal>
#include <cstring>
#include <map>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "analysis/trace/call_arguments.h"
#include "analysis/trace/loader.h"
#include "collector/server/collector.h"
#include "inject/record/span.h"
#include "test/catch.h"
#include "test/collector/memory_file.h"
#include "test/temporary_folder.h"

namespace xsp::test {
namespace {

constexpr uint32_t kCalls = 5000;
constexpr const char* kLayout =
    "number:u4 a:i8 b:i8 c:i8 d:i8 e:i8 f:i8 again:u4 text:s4 status:e1{0=SUCCESS,7=FAILED}";

/// Records one call as a wrapper does: values in parts, then the span.
void record_call(uint32_t number) {
  guest::Thread& thread = *guest::recording_thread();
  const uint32_t slot = guest::open_span(thread, 4, 8, guest::intern("gemm"), guest::intern("blas"), 0);
  std::string values(4 + 6 * 8 + 4 + 4 + 1, '\0');
  const uint32_t text = guest::intern("call " + std::to_string(number % 100));
  std::memcpy(values.data(), &number, 4);
  std::memcpy(values.data() + 52, &number, 4);
  std::memcpy(values.data() + 56, &text, 4);
  values.back() = 7;
  for (size_t at = 0, part = 0; at < values.size(); at += shm::kArgumentBytes, ++part) {
    shm::ArgumentRecord arguments{};
    arguments.span = thread.ring->open[slot].id.load();
    arguments.layout = guest::intern(kLayout);
    arguments.record_type = static_cast<uint8_t>(shm::RecordType::kArguments);
    arguments.part = static_cast<uint8_t>(part);
    arguments.length = static_cast<uint8_t>(std::min(values.size() - at, shm::kArgumentBytes));
    std::memcpy(arguments.values, values.data() + at, arguments.length);
    shm::Record record;
    std::memcpy(static_cast<void*>(&record), &arguments, sizeof record);
    guest::publish(thread, record);
  }
  guest::close_span(thread, slot, guest::now(), 0, {});
}

/// Runs `program` in a child under a collector and gives the bytes of the trace.
std::string collect(void (*program)()) {
  TemporaryFolder folder;
  MemoryFile file;
  TraceWriter writer(file);
  Recording recording(writer);
  ListeningSocket socket;
  const std::string path = folder / "s";
  REQUIRE(socket.bind(path).ok());
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("XSP_SOCKET", path.c_str(), 1);
    ::setenv("XSP_ON_FULL", "block", 1);
    program();
    std::exit(0);
  }
  Collector collector(socket, recording, {.once = true});
  REQUIRE(collector.run().ok());
  ::waitpid(child, nullptr, 0);
  writer.flush();
  return file.bytes;
}

void check_calls(const std::string& bytes, uint32_t calls) {
  analysis::Trace trace;
  analysis::MemorySource source(bytes);
  REQUIRE(analysis::load_trace(source, "test.pb", &trace).ok());
  CHECK(trace.files[0].corrupt_packets == 0);
  CHECK(trace.missing_strings == 0);
  REQUIRE(trace.spans.size() == calls);
  std::map<int64_t, int> seen;
  for (analysis::Row row = 0; row < trace.spans.size(); ++row) {
    const analysis::CallArguments arguments(trace, row);
    const auto number = arguments.integer("number");
    REQUIRE(number);
    ++seen[*number];
    CHECK(trace.spans.id[row] == *number + 1);
    CHECK(arguments.integer("again") == number);
    CHECK(arguments.text("text") == "call " + std::to_string(*number % 100));
    CHECK(arguments.status() == "FAILED");
  }
  CHECK(seen.size() == calls);
}

TEST_CASE("what a program's calls were asked to do can be read from the trace by name") {
  check_calls(collect([] {
                for (uint32_t i = 0; i < kCalls; ++i) record_call(i);
              }),
              kCalls);
}

TEST_CASE("a killed program leaves the arguments of every call that it finished") {
  check_calls(collect([] {
                for (uint32_t i = 0; i < kCalls; ++i) record_call(i);
                ::kill(::getpid(), SIGKILL);
              }),
              kCalls);
}

}  // namespace
}  // namespace xsp::test
