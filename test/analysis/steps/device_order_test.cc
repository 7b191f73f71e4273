#include "analysis/steps/device_order.h"

#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::DeviceOrder;

/// `uuid`: one letter, of which all its 16 bytes are; empty: not known.
void describe(TraceBuilder& builder, uint32_t process, uint32_t index, const std::string& uuid) {
  auto* device = builder.packet(process)->mutable_device();
  device->set_index(index);
  if (!uuid.empty()) device->set_uuid(std::string(16, uuid[0]));
}

/// A trace of two processes; each runs two kernels on the device that it calls 0, the second one on device 1 too.
std::string two_processes(const std::string& first, const std::string& second, const std::string& third) {
  TraceBuilder builder;
  for (const uint32_t pid : {1U, 2U}) builder.add_process(pid);
  describe(builder, 1, 0, first);
  describe(builder, 2, 0, second);
  describe(builder, 2, 1, third);
  builder.add_executions({{.begin = 10, .end = 20, .name = "a"}, {.begin = 50, .end = 60, .name = "c"}});
  builder.add_executions({{.begin = 30, .end = 40, .name = "b", .process = 2},
                          {.begin = 70, .end = 80, .name = "d", .process = 2},
                          {.begin = 90, .end = 95, .name = "e", .device = 1, .process = 2}});
  return builder.bytes();
}

/// Names of what ran on a device, in order.
std::string on(const Analysed& analysed, uint32_t process, uint32_t device) {
  const DeviceOrder order(analysed.trace);
  std::string names;
  for (const uint32_t execution : order.on(process, device)) {
    names += analysed.trace.text(analysed.trace.spans.name[analysed.trace.executions.row[execution]]);
  }
  return names;
}

TEST_CASE("ranks that see one device each under number 0 do not share it") {
  const Analysed analysed({two_processes("a", "b", "c")});
  CHECK(on(analysed, 1, 0) == "ac");
  CHECK(on(analysed, 2, 0) == "bd");
  CHECK(on(analysed, 2, 1) == "e");
}

TEST_CASE("processes that share a device see each other's work on it, whatever number they give it") {
  const Analysed same({two_processes("a", "a", "c")});
  CHECK(on(same, 1, 0) == "abcd");
  CHECK(on(same, 2, 0) == "abcd");
  CHECK(on(same, 2, 1) == "e");
  const Analysed other_number({two_processes("a", "b", "a")});
  CHECK(on(other_number, 1, 0) == "ace");
  CHECK(on(other_number, 2, 1) == "ace");
  CHECK(on(other_number, 2, 0) == "bd");
}

TEST_CASE("devices of two recordings are never the same") {
  const std::string bytes = two_processes("a", "a", "c");
  const Analysed analysed({bytes, bytes});
  int compared = 0;
  for (uint32_t process = 0; process < analysed.trace.processes.size(); ++process) {
    if (analysed.trace.processes[process].pid != 1) continue;
    CHECK(on(analysed, process, 0) == "abcd");
    ++compared;
  }
  CHECK(compared == 2);
}

TEST_CASE("where no device is known by its UUID each process's counts for itself") {
  const Analysed analysed({two_processes("", "", "")});
  CHECK(on(analysed, 1, 0) == "ac");
  CHECK(on(analysed, 2, 0) == "bd");
}

}  // namespace
}  // namespace xsp::test
