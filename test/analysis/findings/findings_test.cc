#include "analysis/findings/finding.h"

#include <algorithm>

#include "analysis/tables/registry.h"
#include "test/analysis/support/finding_tables.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::add_step;
using test::contains;
using test::count;
using test::FindingTables;
using test::kQuality;
using test::quality;
using test::word;

const std::vector<std::string> kCalls = {"library", "function", "count", "kernel_ms", "self_ms", "bytes"};
const std::vector<std::string> kTypes = {"type", "count", "latency_ms", "latency_pct"};

TEST_CASE("a layer type is a bottleneck from a quarter of layer time on") {
  FindingTables large;
  large.add("A6", kTypes,
            {{word("Conv"), count(3), 2.5, 25.0},
             {word("ReLU"), count(9), 2.4, 24.0},
             {word("DataLoader"), count(0), 5.1, 51.0}});
  const Finding* finding = large.find("bottleneck-layer-type");
  REQUIRE(finding != nullptr);
  CHECK(finding->text == "Conv: 2.50 ms of every 11.0 ms call (23 %), in 3 of 12 layers");
  CHECK(finding->value == Approx(100 * 2.5 / 11));
  CHECK(finding->key == "Conv");
  CHECK(finding->weight == Approx(2.5 / 11));  // of a call, 11 ms
  CHECK(finding->share_of == "call");
  CHECK_FALSE(finding->gain_ms);
  FindingTables small;
  small.add("A6", kTypes,
            {{word("Conv"), count(3), 2.4, 24.9},
             {word("ReLU"), count(9), 2.3, 24.0},
             {word("DataLoader"), count(0), 5.0, 51.0}});
  CHECK(small.find("bottleneck-layer-type") == nullptr);
  FindingTables only;
  only.add("A6", kTypes, {{word("Conv"), count(3), 2.5, 100.0}});
  CHECK(only.find("bottleneck-layer-type") == nullptr);
}

TEST_CASE("of layers that overlap a type's time is no share of the call") {
  FindingTables overlapping;
  overlapping.add("A6", kTypes, {{word("Conv"), count(3), 9.0, 60.0}, {word("ReLU"), count(9), 6.0, 40.0}});
  const Finding* finding = overlapping.find("bottleneck-layer-type");
  REQUIRE(finding != nullptr);
  CHECK(
      finding->text ==
      "Conv: 9.00 ms of the 15.0 ms that layers take in every 11.0 ms call, some at the same time, in 3 of 12 layers");
  CHECK(finding->value == Approx(60));
  CHECK(finding->share_of.empty());
}

const std::vector<std::string> kLayers = {"index", "name", "type", "latency_ms"};

TEST_CASE("one layer of several of its type is told when it dominates") {
  FindingTables dominated;
  dominated.add("A2", kLayers,
                {{count(0), word("a"), word("Conv"), 1.0},
                 {count(1), word("b"), word("Conv"), 7.0},
                 {count(2), word("c"), word("ReLU"), 1.0},
                 {count(3), word("d"), word("ReLU"), 1.0}});
  const Finding* finding = dominated.find("bottleneck-layer");
  REQUIRE(finding != nullptr);
  CHECK(finding->text == "One layer, Conv b (index 1): 7.00 ms of every 11.0 ms call (64 %)");
  CHECK(finding->key == "1");
  FindingTables even;
  even.add("A2", kLayers,
           {{count(0), word("a"), word("Conv"), 2.0},
            {count(1), word("b"), word("Conv"), 2.4},
            {count(2), word("c"), word("ReLU"), 2.8},
            {count(3), word("d"), word("ReLU"), 2.8},
            {count(4), word("e"), word("ReLU"), 2.0}});
  CHECK(even.find("bottleneck-layer") == nullptr);
  FindingTables alone;  // its type says it
  alone.add("A6", kTypes, {{word("Gemm"), count(1), 7.0, 70.0}, {word("ReLU"), count(2), 2.0, 20.0}});
  alone.add("A2", kLayers,
            {{count(0), word("a"), word("Gemm"), 7.0},
             {count(1), word("b"), word("Conv"), 1.0},
             {count(2), word("c"), word("ReLU"), 1.0},
             {count(3), word("d"), word("ReLU"), 1.0}});
  CHECK(alone.find("bottleneck-layer") == nullptr);
  // Of layers that are alike one is larger by chance.
  std::vector<std::string> with_spread = kLayers;
  with_spread.emplace_back("spread");
  for (const double spread : {1.0, 4.0}) {
    FindingTables varying;
    varying.add("A2", with_spread,
                {{count(0), word("a"), word("Conv"), 7.0, spread},
                 {count(1), word("b"), word("Conv"), 4.0, spread},
                 {count(2), word("c"), word("ReLU"), 1.0, spread},
                 {count(3), word("d"), word("ReLU"), 1.0, spread}});
    CHECK((varying.find("bottleneck-layer") != nullptr) == (spread < 3));
  }
  FindingTables second;  // another type has more time, and is told
  second.add("A6", kTypes, {{word("Conv"), count(3), 6.0, 60.0}, {word("Gemm"), count(1), 4.0, 40.0}});
  second.add("A2", kLayers,
             {{count(0), word("a"), word("Gemm"), 4.0},
              {count(1), word("b"), word("Conv"), 2.0},
              {count(2), word("c"), word("Conv"), 2.0},
              {count(3), word("d"), word("Conv"), 2.0}});
  const Finding* one = second.find("bottleneck-layer");
  REQUIRE(one != nullptr);
  CHECK(one->key == "0");
}

TEST_CASE("in training the bottleneck is that of forward and backward together, and the text says so") {
  FindingTables types;
  std::vector<std::string> columns = kTypes;
  columns.emplace_back("backward_ms");
  types.add("A6", columns,
            {{word("Linear"), count(2), 2.0, 50.0, 1.0},
             {word("Conv"), count(1), 1.5, 37.5, 4.5},
             {word("Optimizer"), count(1), 0.5, 12.5, 0.0}});
  const Finding* finding = types.find("bottleneck-layer-type");
  REQUIRE(finding != nullptr);
  CHECK(finding->text == "Conv: 6.00 ms, forward and backward, of every 11.0 ms call (55 %), in 1 of 4 layers");
  CHECK(finding->key == "Conv");
  FindingTables layers;
  columns = kLayers;
  columns.emplace_back("backward_ms");
  layers.add("A2", columns,
             {{count(0), word("a"), word("Conv"), 1.0, 0.5},
              {count(1), word("b"), word("Conv"), 0.5, 5.0},
              {count(2), word("c"), word("ReLU"), 1.0, 1.0},
              {count(3), word("d"), word("ReLU"), 1.0, 0.0}});
  finding = layers.find("bottleneck-layer");
  REQUIRE(finding != nullptr);
  CHECK(finding->key == "1");
  CHECK(contains(finding->text, "5.50 ms, forward and backward, of every 11.0 ms call (50 %)"));
  FindingTables updates;  // what has no backward work is not told with it
  columns = kTypes;
  columns.emplace_back("backward_ms");
  updates.add("A6", columns,
              {{word("Linear"), count(2), 2.0, 20.0, 1.0}, {word("Optimizer"), count(1), 8.0, 80.0, 0.0}});
  finding = updates.find("bottleneck-layer-type");
  REQUIRE(finding != nullptr);
  CHECK(finding->text == "Optimizer: 8.00 ms of every 11.0 ms call (73 %), in 1 of 3 layers");
}

const std::vector<std::string> kWaits = {"type", "count", "latency_ms", "latency_pct", "wait_ms"};

TEST_CASE("the functions of a library are not told beside the layers that call them, nor where they take no time") {
  const auto calls = [](double self_ms, FindingTables* out) {
    out->add("C2", kCalls,
             {{word("onednn"), word("execute"), count(9), Cell(), self_ms, Cell()},
              {word("onednn"), word("other"), count(7), Cell(), 0.0, Cell()}});
  };
  FindingTables alone;
  calls(5, &alone);
  CHECK(alone.find("bottleneck-function") != nullptr);
  FindingTables little;
  calls(0.1, &little);
  CHECK(little.find("bottleneck-function") == nullptr);
  FindingTables beside;
  calls(5, &beside);
  beside.add("A6", kTypes, {{word("Conv"), count(3), 5.0, 50.0}, {word("ReLU"), count(9), 2.4, 24.0}});
  CHECK(beside.find("bottleneck-layer-type") != nullptr);
  CHECK(beside.find("bottleneck-function") == nullptr);
}

TEST_CASE("what a layer waits is no work of it") {
  FindingTables waits;
  waits.add("A6", kWaits,
            {{word("aten::to"), count(1), 6.0, 60.0, 5.9},
             {word("Conv"), count(8), 3.0, 30.0, 0.0},
             {word("ReLU"), count(8), 1.0, 10.0, 0.0}});
  const Finding* finding = waits.find("bottleneck-layer-type");
  REQUIRE(finding != nullptr);
  CHECK(finding->key == "Conv");
  FindingTables all;
  all.add("A6", kWaits,
          {{word("aten::item"), count(1), 6.0, 60.0, 6.0}, {word("DataLoader"), count(1), 4.0, 40.0, 4.0}});
  CHECK(all.find("bottleneck-layer-type") == nullptr);
}

const std::vector<std::string> kRoofline = {"kernel_name", "latency_ms", "bound", "pct_of_roof", "source"};

TEST_CASE("kernel time is memory-bound only where work is known for most of it") {
  FindingTables known;
  known.add("A9", kRoofline,
            {{word("add"), 4.0, word("memory"), 80.0, word("counters")},
             {word("gemm"), 4.0, word("compute"), 60.0, word("counters")},
             {word("other"), 2.0, Cell(), Cell(), word("none")}});
  const Finding* finding = known.find("memory-bound");
  REQUIRE(finding != nullptr);
  CHECK(
      finding->text ==
      "Memory-bound: 4.00 ms of 10.0 ms of kernel time (40 %; FLOPs and bytes known for 80.0 % of it, from counters)");
  CHECK(finding->key == "add");
  FindingTables unknown;
  unknown.add("A9", kRoofline,
              {{word("add"), 4.0, word("memory"), 80.0, word("counters")},
               {word("gemm"), 3.9, word("compute"), 60.0, word("counters")},
               {word("other"), 2.1, Cell(), Cell(), word("none")}});
  CHECK(unknown.find("memory-bound") == nullptr);
  FindingTables compute;
  compute.add("A9", kRoofline,
              {{word("add"), 3.2, word("memory"), 80.0, word("analytic")},
               {word("gemm"), 6.8, word("compute"), 60.0, word("analytic")}});
  CHECK(compute.find("memory-bound") == nullptr);
}

TEST_CASE("kernels are far below their roof when they are long enough to reach it") {
  FindingTables far;
  far.add("A9", kRoofline,
          {{word("slow"), 0.3, word("compute"), 5.0, word("analytic")},
           {word("fast"), 0.7, word("compute"), 70.0, word("analytic")}});
  const Finding* finding = far.find("below-roof");
  REQUIRE(finding != nullptr);
  CHECK(contains(finding->text,
                 "300 µs of 1.00 ms of kernel time (30 %) is in kernels of 20 µs or longer that reach less than 25 %"));
  CHECK(contains(finding->text, "slow, reaches 5.0 % and takes 300 µs"));
  REQUIRE(finding->gain_ms);
  CHECK(*finding->gain_ms == Approx(0.3 * 0.95));
  FindingTables near;
  near.add("A9", kRoofline,
           {{word("slow"), 0.3, word("compute"), 25.0, word("analytic")},
            {word("fast"), 0.7, word("compute"), 70.0, word("analytic")}});
  CHECK(near.find("below-roof") == nullptr);
  FindingTables short_ones;
  short_ones.add("A9", kRoofline, {{word("tiny"), 0.019, word("compute"), 5.0, word("analytic")}});
  CHECK(short_ones.find("below-roof") == nullptr);
}

TEST_CASE("the calls of a library are told where they compute, not where they start kernels") {
  const auto tables = [](const std::string& library, Cell kernel_ms, FindingTables* out) {
    out->add("C2", kCalls,
             {{word(library), word("sgemm"), count(1), kernel_ms, 5.0, Cell()},
              {word("onednn"), word("execute"), count(7), Cell(), 5.0, Cell()},
              {word(library), word("other"), count(7), Cell(), 0.0, Cell()}});
  };
  FindingTables host;
  tables("blas", Cell(), &host);
  REQUIRE(host.find("bottleneck-function") != nullptr);
  CHECK(contains(host.find("bottleneck-function")->text, "sgemm of blas takes 50 % of the time in libraries"));
  FindingTables starts;
  tables("cublas", 3.0, &starts);
  CHECK(starts.find("bottleneck-function") == nullptr);
  FindingTables runtime;
  tables("cudart", Cell(), &runtime);
  CHECK(runtime.find("bottleneck-function") == nullptr);
}

const std::vector<std::string> kLevels = {"level_set",   "event_level",  "latency_ms",
                                          "overhead_ms", "overhead_pct", "significant"};

TEST_CASE("the cost of levels is told where it is significant") {
  const auto tables = [](double overhead, bool significant, FindingTables* out) {
    out->add("L1", kLevels,
             {{word("M"), word("model"), 10.0, Cell(), Cell(), Cell()},
              {word("M/L"), word("model"), 10.0 + overhead, overhead, 10 * overhead, Cell(significant)}});
  };
  FindingTables costly;
  tables(0.5, true, &costly);
  const Finding* finding = costly.find("overhead");
  REQUIRE(finding != nullptr);
  CHECK(contains(finding->text, "Recording M/L makes the model 5.0 % slower"));
  CHECK(finding->key == "M/L");
  FindingTables cheap;
  tables(0.4, true, &cheap);
  CHECK(cheap.find("overhead") == nullptr);
  FindingTables noise;
  tables(5, false, &noise);
  CHECK(noise.find("overhead") == nullptr);
}

TEST_CASE("the optimal batch size of one sweep is told") {
  const auto tables = [](double throughput, FindingTables* out) {
    Table& table = out->add("A1", {"batch_size", "latency_ms", "throughput_per_s", "model"},
                            {{count(1), 10.0, 100.0, word("Net")}, {count(2), 15.0, throughput, word("Net")}});
    table.extras = {{"optimal_batch", {{"rule", count(2)}, {"max", count(2)}, {"chosen", count(2)}}}};
  };
  FindingTables worth;
  tables(133.0, &worth);
  const Finding* finding = worth.find("optimal-batch");
  REQUIRE(finding != nullptr);
  CHECK(contains(finding->text, "Optimal batch size of Net: 2, with 133 inputs/s, 15.00 ms a batch, 1.3 times"));
  CHECK(contains(finding->advice, "larger ones"));
  FindingTables not_worth;
  tables(109.0, &not_worth);
  CHECK(not_worth.find("optimal-batch") == nullptr);
}

TEST_CASE("batch sizes of training and of evaluation are no sweep, nor is what an epoch ends with") {
  const auto tables = [](double n_of_last, const std::string& mode_of_last, FindingTables* out) {
    Table& table = out->add("A1", {"batch_size", "latency_ms", "throughput_per_s", "model", "mode", "n"},
                            {{count(32), 10.0, 100.0, word("Net"), word("training"), 60.0},
                             {count(8), 10.0, 25.0, word("Net"), word(mode_of_last), n_of_last}});
    table.extras = {{"optimal_batch",
                     {{"rule", count(32)}, {"max", count(32)}, {"chosen", count(32)}, {"mode", word("training")}}}};
  };
  FindingTables swept;
  tables(60, "training", &swept);
  CHECK(swept.find("optimal-batch") != nullptr);
  FindingTables evaluated;
  tables(60, "inference", &evaluated);
  CHECK(evaluated.find("optimal-batch") == nullptr);
  FindingTables last;
  tables(3, "training", &last);
  CHECK(last.find("optimal-batch") == nullptr);
}

TEST_CASE("no batch size is optimal by less than what its latency is uncertain") {
  const auto tables = [](double high, FindingTables* out) {
    Table& table =
        out->add("A1", {"batch_size", "latency_ms", "throughput_per_s", "model", "ci_low_ms", "ci_high_ms"},
                 {{count(1), 10.0, 100.0, word("Net"), 9.0, 11.0}, {count(2), 15.0, 133.0, word("Net"), 14.0, high}});
    table.extras = {{"optimal_batch", {{"chosen", count(2)}}}};
  };
  FindingTables sure;
  tables(17.9, &sure);  // below 9 ms an input
  CHECK(sure.find("optimal-batch") != nullptr);
  FindingTables unsure;
  tables(18.0, &unsure);
  CHECK(unsure.find("optimal-batch") == nullptr);
}

TEST_CASE("losses come first, slight ones last") {
  FindingTables many;
  many.add("A6", kTypes, {{word("Conv"), count(3), 9.0, 90.0}, {word("ReLU"), count(9), 1.0, 10.0}});
  many.add("Q1", kQuality, {quality("spans", 1000), quality("dropped", 1), quality("unmatched_launch", 0)});
  REQUIRE(many.found().size() == 2);
  CHECK(many.found()[0].id == "losses");
  CHECK(many.found()[0].weight == 1);
  CHECK(contains(many.found()[0].text, "1 span dropped while recording (0.1 % of 1000 spans)"));
  FindingTables slight;
  slight.add("A6", kTypes, {{word("Conv"), count(3), 9.0, 90.0}, {word("ReLU"), count(9), 1.0, 10.0}});
  slight.add("Q1", kQuality, {quality("spans", 1001), quality("dropped", 1)});
  REQUIRE(slight.found().size() == 2);
  CHECK(slight.found()[0].id == "bottleneck-layer-type");
  CHECK(slight.find("losses") != nullptr);
}

TEST_CASE("a damaged trace is worse than dropped spans, and both are counted") {
  FindingTables damaged;
  damaged.add("Q1", kQuality, {quality("spans", 10), quality("dropped", 5), quality("unreadable_bytes", 7)});
  const Finding* finding = damaged.find("losses");
  REQUIRE(finding != nullptr);
  CHECK(finding->text == "7 bytes of the trace cannot be read; another kind of loss is in Q1");
}

TEST_CASE("ambiguous spans, diverging runs and failed calls put the rest in doubt") {
  FindingTables doubtful;
  doubtful.add("Q1", kQuality,
               {quality("spans", 100), quality("ambiguous", 1), quality("divergence", 2),
                quality("failed_evaluations", 3, "model")});
  REQUIRE(doubtful.find("ambiguous-spans") != nullptr);
  CHECK(contains(doubtful.find("ambiguous-spans")->text, "1 span inside several concurrent spans (1.0 % of all)"));
  REQUIRE(doubtful.find("divergence") != nullptr);
  CHECK(contains(doubtful.find("divergence")->text, "in 2 places"));
  REQUIRE(doubtful.find("failed-evaluations") != nullptr);
  FindingTables clean;
  clean.add("Q1", kQuality,
            {quality("spans", 100), quality("ambiguous", 0), quality("divergence", 0),
             quality("failed_evaluations", 0, "model"), quality("dropped", 0)});
  CHECK(clean.found().empty());
}

TEST_CASE("layers in no evaluation are told from a tenth on, where they take time") {
  // Evaluations take 33 ms in all.
  const auto with_loose_layer = [](int64_t ns) {
    test::TraceBuilder builder;
    builder.add_process(10);
    for (int64_t i = 0; i < 3; ++i) builder.add_evaluation(100 * i, {6, 4});
    test::SpanSpec layer{.begin = 900'000'000, .end = 900'000'000 + ns, .id = 900};
    layer.level = LEVEL_LAYER;
    layer.kind = KIND_OPERATOR;
    layer.name = "aten::empty";
    builder.add(layer);
    return builder.bytes();
  };
  FindingTables many(with_loose_layer(1'000'000));
  many.add("Q1", kQuality, {quality("spans", 20, "layer"), quality("unattached", 2, "layer")});
  CHECK(many.find("unattached-layers") != nullptr);
  FindingTables short_ones(with_loose_layer(100'000));
  short_ones.add("Q1", kQuality, {quality("spans", 20, "layer"), quality("unattached", 2, "layer")});
  CHECK(short_ones.find("unattached-layers") == nullptr);
  FindingTables few(with_loose_layer(1'000'000));
  few.add("Q1", kQuality, {quality("spans", 21, "layer"), quality("unattached", 2, "layer")});
  CHECK(few.find("unattached-layers") == nullptr);
}

TEST_CASE("a latency that is known badly is told first") {
  const std::vector<std::string> columns = {"latency_ms", "model", "ci_low_ms", "ci_high_ms"};
  FindingTables wide;
  wide.add("A1", columns, {{10.0, word("Net"), 7.9, 12.1}});
  const Finding* finding = wide.find("uncertain-latency");
  REQUIRE(finding != nullptr);
  CHECK(finding->text == "The model latency is uncertain: between 7.900 ms and 12.10 ms (95 % confidence)");
  CHECK(finding->weight == 1);
  FindingTables narrow;
  narrow.add("A1", columns, {{10.0, word("Net"), 8.1, 11.9}});
  CHECK(narrow.find("uncertain-latency") == nullptr);
  FindingTables several;
  several.add("A1", {"latency_ms", "model", "input", "ci_low_ms", "ci_high_ms"},
              {{10.0, word("Net"), word("[8,3]"), 9.5, 10.5}, {5.0, word("Net"), word("[1,3]"), 1.0, 19.0}});
  finding = several.find("uncertain-latency");
  REQUIRE(finding != nullptr);
  CHECK(finding->text ==
        "1 of 2 model latencies in A1 is uncertain; the worst, with input [1,3]: between 1.000 ms and 19.00 ms (95 "
        "% confidence)");
}

TEST_CASE("at most five are told, and doubts leave places for the others") {
  FindingTables all;
  all.add("A1", {"latency_ms", "model", "ci_low_ms", "ci_high_ms"}, {{10.0, word("Net"), 1.0, 19.0}});
  all.add("Q1", kQuality,
          {quality("spans", 100), quality("ambiguous", 50), quality("divergence", 2), quality("dropped", 9),
           quality("failed_evaluations", 3, "model"), quality("processes_killed", 1)});
  all.add("A6", kTypes, {{word("Conv"), count(3), 9.0, 90.0}, {word("ReLU"), count(9), 1.0, 10.0}});
  add_step({{"step_ms", 10},
            {"idle_host_ms", 4},
            {"step_kernels", 10},
            {"step_kernel_ms", 6},
            {"idle_input_ms", 2},
            {"idle_copy_ms", 1}},
           &all);
  const auto found = all.found();
  REQUIRE(found.size() == kMostFindings + 1);
  CHECK(std::count_if(found.begin(), found.end(), [](const Finding& f) { return f.weight == 1 && !f.is_note; }) == 3);
  CHECK(found[3].id == "gpu-idle");
  CHECK(found[4].id == "input-wait");
  // What is about the recording alone stands behind them.
  CHECK(found[5].id == "uncertain-latency");
  CHECK(found[5].is_note);
}

TEST_CASE("nothing is found without evidence") {
  FindingTables none;
  CHECK(none.found().empty());
  FindingTables empty;
  for (const auto* analysis : analyses()) empty.add(std::string(analysis->id), {}, {});
  CHECK(empty.found().empty());
  FindingTables nulls;
  for (const auto* analysis : analyses()) {
    nulls.add(std::string(analysis->id), {"latency_ms", "type", "quantity", "count"},
              {{Cell(), Cell(), Cell(), Cell()}});
  }
  CHECK(nulls.found().empty());
}

TEST_CASE("names of megabytes and with control characters stay short and harmless in a sentence") {
  FindingTables hostile;
  const std::string name = "\x1b[31m" + std::string(1'000'000, 'x');
  hostile.add("A6", kTypes, {{word(name), count(3), 9.0, 90.0}, {word("ReLU"), count(9), 1.0, 10.0}});
  const Finding* finding = hostile.find("bottleneck-layer-type");
  REQUIRE(finding != nullptr);
  CHECK(finding->text.size() < 200);
  CHECK_FALSE(contains(finding->text, "\x1b"));
  CHECK(finding->key == name);
}

TEST_CASE("a real trace: shares of the tables, and totals of a trace without a model are called so") {
  test::Analysed analysed({test::one_model()});
  std::vector<Table> tables;
  for (const std::string id : {"A1", "A2", "A6", "Q1"}) tables.push_back(analysed.table(id));
  const auto found = findings(*analysed.study, tables);
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].id == "bottleneck-layer-type");
  CHECK(found[0].text == "A: 6.00 ms of every 11.0 ms call (55 %), in 1 of 2 layers");

  test::TraceBuilder loose;
  loose.add_process(10);
  loose.add({.begin = 0, .end = 10, .id = 1, .name = "a", .type = "T"});
  test::Analysed without({loose.bytes()});
  const auto told = findings(*without.study, {without.table("Q1")});
  REQUIRE_FALSE(told.empty());
  CHECK(told[0].id == "no-evaluations");
  CHECK(contains(told[0].text, "start-up included (1 layer span)"));
}

const std::vector<std::string> kDiagnoses = {"diagnosis", "found", "value", "unit", "evidence", "advice"};

TEST_CASE("what D4 found is among the findings, with its evidence, and what it did not find is not") {
  FindingTables tables;
  tables.add(
      "D4", kDiagnoses,
      {{word("graph_growth"), true, 55.0, word("%"), word("the host time grows"), word("look for a list")},
       {word("host_bound"), false, 30.0, word("%"), word("see graph_growth"), Cell()},
       {word("drift"), Cell(), Cell(), word("%"), word("not checked: 3 iterations, at least 8 are needed"), Cell()}});
  const Finding* finding = tables.find("graph-growth");
  REQUIRE(finding != nullptr);
  CHECK(finding->text == "The host time grows");
  CHECK(finding->advice == "look for a list");
  CHECK(finding->table == "D4");
  CHECK(finding->key == "graph_growth");
  CHECK(finding->weight == Approx(0.55));
  CHECK(tables.find("host-bound") == nullptr);
  CHECK(tables.find("iteration-drift") == nullptr);
}

TEST_CASE("a diagnosis of several loops is told once") {
  FindingTables tables;
  tables.add("D4", kDiagnoses,
             {{word("copy_bound"), true, 40.0, word("%"), word("first"), word("copy less")},
              {word("copy_bound"), true, 60.0, word("%"), word("second"), word("copy less")}});
  CHECK(tables.found().size() == 1);
  CHECK(tables.find("copy-bound")->text == "First");
}

TEST_CASE("a loop is a finding where no model is known, with its length and time") {
  test::TraceBuilder loose;
  loose.add_process(10);
  loose.add({.begin = 0, .end = 10, .id = 1, .name = "a", .type = "T"});
  test::Analysed without({loose.bytes()});
  Table iterations{.id = "D1", .columns = {{"loop", ""}}, .rows = {{count_cell(0)}}};
  iterations.extras.push_back(
      {"pattern", {{"length", count_cell(288)}, {"coverage", cell(0.8)}, {"time_coverage", cell(0.7)}}});
  const Table loops{
      .id = "D2", .columns = {{"iterations", ""}, {"avg_period", "ms"}}, .rows = {{count_cell(10), cell(7.0)}}};
  const auto told = findings(*without.study, {iterations, loops});
  REQUIRE(told.size() == 1);
  CHECK(told[0].id == "iterations");
  CHECK(contains(told[0].text, "10 iterations of 288 operations, one every 7"));
  CHECK(contains(told[0].advice, "-a D1,D2,D4"));
  CHECK(told[0].weight == Approx(0.7));
  // A loop that takes little of the device's time says nothing.
  iterations.extras[0].fields[2].second = cell(0.4);
  CHECK(findings(*without.study, {iterations, loops}).empty());
}

}  // namespace
}  // namespace xsp::analysis
