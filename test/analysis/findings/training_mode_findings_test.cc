#include <string>
#include <vector>

#include "analysis/findings/finding.h"
#include "test/analysis/support/finding_tables.h"
#include "test/analysis/support/live_trace.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::contains;
using test::count;
using test::FindingTables;
using test::word;

/// Calls of a model of 5 ms each, from which nothing is learnt.
std::string inference(int kind = KIND_TORCH_ROOT) {
  test::LiveTrace trace;
  for (int i = 0; i < 3; ++i) {
    trace.begin(kind, "Net", "Net", LEVEL_MODEL);
    trace.module("fc", "Linear");
    trace.end();
  }
  return trace.bytes();
}

void add_layers(Cell alloc_mb, double ms, FindingTables* out) {
  out->add("A2", {"index", "name", "type", "latency_ms", "alloc_mb"},
           {{count(0), word("fc"), word("Linear"), 5.0, 4.0},
            {count(1), word("drop"), word("Dropout"), ms, alloc_mb},
            {count(2), word("drop2"), word("Dropout2d"), ms, alloc_mb}});
}

TEST_CASE("Dropout that computes in inference tells that the model is in training mode") {
  FindingTables tables(inference());
  add_layers(2.0, 0.55, &tables);
  const Finding* finding = tables.find("training-mode");
  REQUIRE(finding != nullptr);
  CHECK(contains(finding->text, "Dropout computes in 2 layers"));
  CHECK(contains(finding->text, "1.10 ms of every 5.00 ms call (22 %)"));
  CHECK(finding->key == "1");
  CHECK(*finding->gain_ms == Approx(1.1));
}

TEST_CASE("Dropout that passes its input on, takes no time or has an output in any mode tells nothing") {
  FindingTables evaluates(inference());
  add_layers(0.0, 0.55, &evaluates);
  CHECK(evaluates.find("training-mode") == nullptr);
  FindingTables others(inference());
  others.add(
      "A2", {"index", "name", "type", "latency_ms", "alloc_mb"},
      {{count(0), word("fc"), word("Linear"), 5.0, 4.0}, {count(1), word("a"), word("NoDropoutBlock"), 2.0, 2.0}});
  CHECK(others.find("training-mode") == nullptr);
  FindingTables unknown(inference());
  add_layers(Cell(), 0.55, &unknown);
  CHECK(unknown.find("training-mode") == nullptr);
  FindingTables short_ones(inference());
  add_layers(2.0, 0.01, &short_ones);
  CHECK(short_ones.find("training-mode") == nullptr);
  FindingTables nodes(inference(KIND_RUN));
  add_layers(2.0, 0.55, &nodes);
  CHECK(nodes.find("training-mode") == nullptr);
}

}  // namespace
}  // namespace xsp::analysis
