/// Loops of a host: what is recorded beside their operations is no idle time.

#include <map>
#include <string>

#include "test/analysis/support/live_trace.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

constexpr int kSteps = 40;

/// Forward, backward, and on every `every`-th step an update of the weights; `between` comes before each forward.
template <typename Between>
std::string training(int every, Between&& between) {
  LiveTrace trace;
  for (int i = 0; i < kSteps; ++i) {
    between(trace, i);
    trace.begin_model("Net");
    const uint32_t linear = trace.module("a", "Linear");
    trace.module("b", "ReLU", "aten::relu");
    trace.end();
    for (int node = 0; node < 20; ++node) trace.backward("AddmmBackward0", linear);
    if (every != 0 && i % every == every - 1) trace.step();
  }
  return trace.bytes();
}

/// Rows of D4 by diagnosis: "yes", "no", or nothing where it was not checked; and its words.
struct Told {
  std::string found;
  std::string evidence;
};

std::map<std::string, Told> diagnosed(const std::string& bytes) {
  const analysis::Table d4 = Analysed({bytes}).table("D4");
  std::map<std::string, size_t> column;
  for (size_t i = 0; i < d4.columns.size(); ++i) column[d4.columns[i].name] = i;
  std::map<std::string, Told> told;
  for (const auto& row : d4.rows) {
    if (number(row[column.at("loop")]) > 0) continue;
    const analysis::Cell& found = row[column.at("found")];
    const auto* truth = std::get_if<bool>(&found);
    told[text(row[column.at("diagnosis")])] = {truth == nullptr ? ""
                                               : *truth         ? "yes"
                                                                : "no",
                                               text(row[column.at("evidence")])};
  }
  return told;
}

TEST_CASE("a backward pass between two iterations is no time in which nothing runs") {
  for (const int every : {0, 4}) {
    INFO("weights updated every " << every);
    auto told = diagnosed(training(every, [](LiveTrace&, int) {}));
    CHECK(told["host_bound"].found == "no");
    CHECK(told["input_stall"].found == "no");
    CHECK(told["periodic_work"].found == "no");
  }
}

TEST_CASE("a host that does nothing recorded before each iteration is still told") {
  auto told = diagnosed(training(0, [](LiveTrace& trace, int) { trace.wait(200); }));
  CHECK(told["host_bound"].found == "yes");
}

TEST_CASE("what a data loader computes is waiting for input, and no work beside the iterations") {
  auto told = diagnosed(training(0, [](LiveTrace& trace, int i) {
    trace.begin(KIND_ANNOTATION, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
    trace.op("aten::stack");
    trace.wait(i % 8 == 7 ? 400 : 1);
    trace.op("aten::stack");
    trace.end();
  }));
  CHECK(told["input_stall"].found == "yes");
}

TEST_CASE("operators of another thread do not fill the gaps of the loop's own") {
  auto told = diagnosed(training(0, [](LiveTrace& trace, int) {
    trace.on_thread(1);
    trace.begin(KIND_OPERATOR, "aten::conv2d");
    trace.wait(200);
    trace.end();
    trace.on_thread(0);
  }));
  CHECK(told["host_bound"].found == "yes");
}

}  // namespace
}  // namespace xsp::test
