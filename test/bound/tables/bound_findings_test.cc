#include "bound/tables/bound_findings.h"

#include <algorithm>
#include <memory>

#include "bound/model/model_source.h"
#include "bound/tables/bound_analyses.h"
#include "bound/tables/bound_report.h"
#include "bound/tables/bound_tables.h"
#include "test/bound/bounds/layer_graph.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

using analysis::Finding;
using test::graph_of;

/// A convolution, then three activations of another problem each, one after another.
struct SmallNet {
  LayeredModel model = graph_of({{}, {0}, {1}, {2}});
  std::vector<LayerTime> times;

  SmallNet() {
    model.name = "net";
    const char* problems[] = {"conv src=1x2x8x8 wei=4x2x3x3 strides=2x2 dtype=f32",
                              "eltwise alg=relu src=1x2 dtype=f32", "eltwise alg=tanh src=1x2 dtype=f32",
                              "eltwise alg=exp src=1x2 dtype=f32"};
    const char* types[] = {"Conv", "Relu", "Tanh", "Exp"};
    for (size_t i = 0; i < model.layers.size(); ++i) {
      model.layers[i].name = "layer" + std::to_string(i);
      model.layers[i].type = types[i];
      model.layers[i].problem = problems[i];
      model.layers[i].unique = i;
      model.layers[i].flops = 100;
      model.unique.push_back({problems[i], i, 1, ""});
      LayerTime& time = times.emplace_back();
      time.counts = true;
      time.bound_ms = i == 0 ? 8 : 0.5;
      time.library = "onednn 3.2.0";
      time.implementation = "jit";
    }
  }

  BoundSubject subject(int threads = 1) const {
    BoundSubject subject;
    subject.bounds.push_back(make_bounds(model, times));
    subject.source.threads = threads;
    return subject;
  }
};

const Finding* find_id(const std::vector<Finding>& findings, std::string_view id) {
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& one) { return one.id == id; });
  return found == findings.end() ? nullptr : &*found;
}

std::vector<Finding> findings_of(const BoundSubject& subject) {
  std::vector<Table> tables;
  for (const BoundAnalysis& analysis : bound_analyses()) tables.push_back(analysis.compute(subject));
  return bound_findings(subject, tables);
}

}  // namespace

TEST_CASE("the verdict has the bound, its threads, and what is expected where enough is known") {
  SmallNet net;
  CHECK(bound_verdict(net.subject()) == "net: layer by layer at least 9.500 ms a call on 1 thread");
  for (LayerTime& time : net.times) time.expected_ms = 2 * *time.bound_ms;
  CHECK(bound_verdict(net.subject(2)) ==
        "net: layer by layer at least 9.500 ms a call on 2 threads · about 19.00 ms with operands from memory");
  net.times[3].bound_ms.reset();
  CHECK(bound_verdict(net.subject()).ends_with(" · 1 of 4 layers without a time"));
  for (LayerTime& time : net.times) time.bound_ms.reset();
  CHECK(bound_verdict(net.subject()) == "net: no bound, none of its 4 layers has a time");
}

TEST_CASE("what a few disturbed benchmarks make is a note") {
  SmallNet net;
  net.times[1].is_noisy = net.times[2].is_noisy = true;
  const auto findings = findings_of(net.subject());
  REQUIRE(find_id(findings, "benchmarks-disturbed") != nullptr);
  CHECK(find_id(findings, "benchmarks-disturbed")->is_note);
  CHECK(bound_verdict(net.subject()).find("at least") != std::string::npos);
}

TEST_CASE("a bound of several threads that rests on disturbed benchmarks is unusable, and nothing is found in it") {
  SmallNet net;
  net.times[0].is_noisy = true;
  const auto findings = findings_of(net.subject(2));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].id == "benchmarks-disturbed");
  CHECK_FALSE(findings[0].is_note);
  CHECK(findings[0].weight == 1);
  CHECK(bound_verdict(net.subject(2)).find("no usable bound") != std::string::npos);
}

TEST_CASE("with one thread, whose processor time counts, such a bound is about right") {
  SmallNet net;
  net.times[0].is_noisy = true;
  const auto findings = findings_of(net.subject());
  REQUIRE(findings.size() > 1);
  CHECK(findings[0].id == "benchmarks-disturbed");
  CHECK_FALSE(findings[0].is_note);
  CHECK(bound_verdict(net.subject()) == "net: layer by layer about 9.500 ms a call on 1 thread");
}

TEST_CASE("layers without a time are the first thing to know") {
  SmallNet net;
  net.times[0].bound_ms.reset();
  net.times[0].reason = "not measured";
  const auto findings = findings_of(net.subject());
  REQUIRE_FALSE(findings.empty());
  CHECK(findings[0].id == "bound-incomplete");
  CHECK(findings[0].text == "1 of 4 layers has no time and is left out of the bound: Conv (1); with 25 % of the flops");
  CHECK(findings[0].table == "B2");
  CHECK(findings[0].row == 4);  // behind the four types
}

TEST_CASE("the dearest type and problem are named with their share") {
  SmallNet net;
  for (size_t i = 1; i < 4; ++i) net.model.layers[i].type = "Activation";
  net.times[0].bound_ms = 1;
  net.times[1].bound_ms = 3;
  const auto findings = findings_of(net.subject());
  const Finding* type = find_id(findings, "bound-layer-type");
  REQUIRE(type != nullptr);
  CHECK(type->text == "Activation layers are 80 % of the bound: 4.000 ms in 3 layers, 3 of them different");
  const Finding* problem = find_id(findings, "bound-dearest-problem");
  REQUIRE(problem != nullptr);
  CHECK(problem->text ==
        "The layer layer1 (Activation) alone is 60 % of the bound: 3.000 ms, fastest with onednn 3.2.0");
  CHECK(problem->row == 1);
  CHECK(type->weight > problem->weight);
}

TEST_CASE("elementwise layers are told, because runtimes fuse them") {
  const auto findings = findings_of(SmallNet().subject());
  const Finding* finding = find_id(findings, "fusible-layers");
  REQUIRE(finding != nullptr);
  CHECK(finding->text.starts_with("Elementwise layers (Exp, Relu, Tanh) are 16 % of the bound: 1.500 ms in 3 layers."));
}

TEST_CASE("what rounds otherwise is told with the bound without it") {
  SmallNet net;
  CHECK(find_id(findings_of(net.subject()), "other-rounding") == nullptr);
  net.times[0].is_exact = false;
  net.times[0].exact_ms = 10;
  const auto findings = findings_of(net.subject());
  const Finding* finding = find_id(findings, "other-rounding");
  REQUIRE(finding != nullptr);
  CHECK_FALSE(finding->is_note);
  CHECK(finding->text.ends_with("without them the bound is 11.50 ms, 21 % more"));
}

TEST_CASE("branches are told with what they could save, and a chain as one") {
  SmallNet net;
  const Finding* chain = nullptr;
  auto findings = findings_of(net.subject());
  chain = find_id(findings, "parallel-branches");
  REQUIRE(chain != nullptr);
  CHECK(chain->is_note);
  CHECK(chain->text.starts_with("No two layers with work are independent"));

  net.model.layers[2].producers = {0};  // beside layer 1
  net.model.layers[3].producers = {1, 2};
  findings = findings_of(net.subject(4));
  const Finding* branches = find_id(findings, "parallel-branches");
  REQUIRE(branches != nullptr);
  CHECK(*branches->gain_ms == Approx(0.5));
  CHECK(branches->text.find("if each had 4 cores of its own") != std::string::npos);
}

TEST_CASE("there are no more findings and notes than a report has room for") {
  SmallNet net;
  net.model.layers[2].producers = {0};
  net.model.layers[3].producers = {1, 2};
  net.model.layers[1].type = "Conv";
  net.times[0].is_exact = false;
  net.times[0].exact_ms = 10;
  for (LayerTime& time : net.times) time.expected_ms = 2 * *time.bound_ms;
  net.times[1].bound_ms = 3;
  BoundSubject subject = net.subject();
  subject.bounds.push_back(make_bounds(net.model, net.times));
  const auto all = findings_of(subject);
  const auto count = [](const std::vector<Finding>& findings, bool notes) {
    return static_cast<size_t>(std::ranges::count(findings, notes, &Finding::is_note));
  };
  REQUIRE(count(all, false) == analysis::kMostFindings + 1);
  const auto shown = shown_findings(all);
  CHECK(count(shown, false) == analysis::kMostFindings);
  CHECK(count(shown, true) <= analysis::kMostNotes);
  CHECK(shown.back().text == "1 more finding of less weight: --format json has all");
  CHECK(shown.back().table == all[analysis::kMostFindings].table);
  std::vector<Finding> few(all.begin(), all.begin() + 2);
  CHECK(shown_findings(few).size() == 2);
}

TEST_CASE("problems are listed with all their layers, the dearest first") {
  SmallNet net;
  net.model.layers[3].unique = 1;
  net.model.layers[3].problem = net.model.layers[1].problem;
  const Table table = problems_table(net.subject());
  REQUIRE(table.rows.size() == 3);
  CHECK(std::get<std::string>(table.at(0, kB1Problems.shapes)) == "2x8x8 to 4, 3x3 /2x2");
  CHECK(std::get<double>(table.at(0, kB1Problems.bound_pct)) == Approx(800 / 9.5));
  CHECK(std::get<int64_t>(table.at(1, kB1Problems.layers)) == 2);
  CHECK(std::get<double>(table.at(1, kB1Problems.bound_ms)) == Approx(1));
  CHECK(std::get<double>(table.at(1, kB1Problems.each_ms)) == Approx(0.5));
}

TEST_CASE("several models have a column for their name, and a sentence each") {
  SmallNet one, two;
  two.model.name = "other";
  BoundSubject subject = one.subject();
  subject.bounds.push_back(make_bounds(two.model, two.times));
  CHECK(bound_verdict(subject).find("; other: layer by layer") != std::string::npos);
  const Table sequential = sequential_table(subject);
  REQUIRE(sequential.has(kB3.model));
  CHECK(std::get<std::string>(sequential.at(1, kB3.model)) == "other");
  CHECK_FALSE(sequential_table(one.subject()).columns.back().name == "model");
}

TEST_CASE("other rounding that saves much is told in the verdict, however many findings there are") {
  SmallNet net;
  net.times[0].is_exact = false;
  net.times[0].exact_ms = 8.01;
  CHECK(bound_verdict(net.subject()).find("Winograd") == std::string::npos);
  net.times[0].exact_ms = 10;
  CHECK(bound_verdict(net.subject()) ==
        "net: layer by layer at least 9.500 ms a call on 1 thread · about 11.50 ms without Winograd or FFT");
}

TEST_CASE("with one thread branches come last, with several by what they save") {
  SmallNet net;
  net.model.layers[2].producers = {0};
  net.model.layers[3].producers = {1, 2};
  const auto last = [](std::vector<Finding> findings) {
    std::erase_if(findings, &Finding::is_note);
    return findings.back().id;
  };
  CHECK(last(findings_of(net.subject(1))) == "parallel-branches");
  CHECK(last(findings_of(net.subject(4))) != "parallel-branches");
}

TEST_CASE("times of another number of threads are pointed to where there are none") {
  SmallNet net;
  for (LayerTime& time : net.times) time.bound_ms.reset();
  BoundSubject subject = net.subject(2);
  subject.source.other_threads = TimesSource::OtherThreads{1, 4};
  CHECK(bound_verdict(subject) ==
        "net: no bound, none of its 4 layers has a time with 2 threads (--threads 1 has them)");
  const auto findings = findings_of(subject);
  REQUIRE_FALSE(findings.empty());
  CHECK(findings[0].advice == "4 of them have a time with 1 thread: --threads 1 takes it");
}

TEST_CASE("each mode says what its expected time lacks") {
  SmallNet net;
  for (LayerTime& time : net.times) time.expected_ms = 2 * *time.bound_ms;
  net.times[1].expected_ms.reset();
  const Table table = sequential_table(net.subject());
  CHECK(std::ranges::count(
            table.notes,
            "layers: 1 layer counts in expected_ms with the time of bound_ms: none from memory is known") == 1);
  net.times[0].expected_ms.reset();
  CHECK(std::ranges::count(sequential_table(net.subject()).notes,
                           "layers: no expected_ms: of 2 layers (8.500 ms) no time from memory is known") == 1);
}

TEST_CASE("weights are compared with the cache, each once") {
  SmallNet net;
  for (LayerTime& time : net.times) time.expected_ms = 2 * *time.bound_ms;
  auto source = std::make_shared<ModelSource>();
  source->model.graph.nodes.resize(4);
  source->model.graph.nodes[0].inputs = {"x", "weights"};
  source->model.graph.nodes[1].inputs = {"a", "weights"};
  for (const char* name : {"weights", "unread"}) {
    ConstantTensor& tensor = source->model.graph.initializers.emplace_back();
    tensor.name = name;
    tensor.element = ElementType::kF32;
    tensor.dimensions = {1000, 500};
  }
  net.model.source = source;
  BoundSubject subject = net.subject();
  const auto advice = [&] {
    const auto findings = findings_of(subject);
    const Finding* finding = find_id(findings, "operands-from-memory");
    return finding == nullptr ? std::string("none") : finding->advice;
  };
  CHECK(advice().empty());
  subject.source.cache_bytes = 1'000'000;
  CHECK(advice() ==
        "its weights are 2.000 MB, the last cache has 1.000 MB: they cannot all stay there from call to call");
  subject.source.cache_bytes = 4'000'000;
  CHECK(advice().find("they can stay there") != std::string::npos);
}

TEST_CASE("layers that are the same are counted without the one that is named") {
  SmallNet net;
  net.model.layers[2].unique = 0;
  net.model.layers[2].type = "Conv";
  net.model.layers[2].problem = net.model.layers[0].problem;
  net.times[2] = net.times[0];
  const auto findings = findings_of(net.subject());
  const Finding* finding = find_id(findings, "bound-dearest-problem");
  REQUIRE(finding != nullptr);
  CHECK(finding->text ==
        "layer0 and 1 Conv layer like it are together 94 % of the bound: 8.000 ms each, fastest with onednn 3.2.0");
}

TEST_CASE("the drawing counts layers with work on its longest path") {
  SmallNet net;
  net.times[1].counts = false;
  net.times[1].bound_ms = 0;
  const auto drawings = path_drawings(net.subject());
  REQUIRE_FALSE(drawings.empty());
  CHECK(drawings.back().shows.starts_with("The longest path has 3 of 3 layers with work"));
}

}  // namespace xsp::bound
