#include <cstdint>
#include <string>

#include "test/catch.h"
#include "test/import/read_timeline.h"

namespace xsp {
namespace {

using test::ImportedTrace;

ImportedTrace import_events(const std::string& events) {
  return test::import_text(kKinetoImporter, "{\"traceEvents\": [" + events + "]}");
}

/// An operator with its index in the profiler's list.
std::string numbered(int thread, int begin, const std::string& index, const std::string& category = "cpu_op") {
  return R"({"ph":"X","cat":")" + category + R"(","pid":9,"tid":)" + std::to_string(thread) + R"(,"name":"op","ts":)" +
         std::to_string(begin) + R"(,"dur":5,"args":{"Ev Idx":)" + index + "}}";
}

uint64_t removed_operators(const ImportedTrace& trace) {
  uint64_t removed = 0;
  for (const xsp::Packet& packet : trace.trace.packet()) {
    if (packet.loss().reason() == Loss::REMOVED) removed += packet.loss().count();
  }
  return removed;
}

TEST_CASE("operators that were taken out of a profile are counted by the gaps in their indices", "[kineto]") {
  const ImportedTrace trace =
      import_events(numbered(1, 10, "3") + ',' + numbered(1, 20, "7") + ',' + numbered(1, 30, "9", "user_annotation") +
                    ',' + numbered(2, 10, "100") + ',' + numbered(2, 20, "102"));
  CHECK(removed_operators(trace) == 4 + 1);
}

TEST_CASE("a profile that is whole, cut in time or without its Python functions lost no operators", "[kineto]") {
  const std::string threads = numbered(1, 10, "500") + ',' + numbered(1, 20, "501") + ',' + numbered(2, 10, "900") +
                              ',' + numbered(2, 20, "901", "user_annotation");
  CHECK(removed_operators(import_events(threads)) == 0);
  CHECK(removed_operators(import_events(threads + ',' + numbered(1, 5, "2000", "python_function") + ',' +
                                        numbered(1, 30, "9000", "python_function"))) == 0);
}

TEST_CASE("a profile that numbers the events of all threads in one order lost no operators", "[kineto]") {
  std::string events;
  for (int i = 0; i < 40; ++i) events += (i == 0 ? "" : ",") + numbered(1 + i % 4, 10 * i, std::to_string(i));
  CHECK(removed_operators(import_events(events)) == 0);
}

TEST_CASE("indices that repeat, or that no list can have, count nothing as removed", "[kineto]") {
  CHECK(removed_operators(import_events(numbered(1, 10, "4") + ',' + numbered(1, 20, "4") + ',' + numbered(1, 30, "5") +
                                        ',' + numbered(1, 40, "9000000000000000000") + ',' + numbered(1, 50, "-7") +
                                        ',' + numbered(1, 60, "\"x\""))) == 0);
}

}  // namespace
}  // namespace xsp
