#include <unistd.h>

#include <filesystem>

#include "bound/bounds/bounds.h"
#include "test/bound/bounds/layer_graph.h"
#include "test/catch.h"

using namespace xsp::bound;
using namespace xsp::bound::test;

namespace {

const Library kOneDnn = {"onednn", "onednn", "3.2.0", "", "/lib/libdnnl.so.3"};
const Library kOpenBlas = {"blas", "openblas", "0.3.21", "", "/lib/libopenblas.so.0"};

/// An empty database in a folder of its own.
class MeasuredProblems {
 public:
  MeasuredProblems() {
    std::string name = (std::filesystem::temp_directory_path() / "xsp-bounds-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    folder_ = name;
    REQUIRE(database_.open((folder_ / "bounds.sqlite").string(), false).ok());
    system_.device = "test";
  }
  ~MeasuredProblems() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  void add(const Library& library, const std::string& problem, const std::string& implementation, double hot_ms,
           std::optional<double> cold_ms = std::nullopt, Numerics numerics = Numerics::kExact) {
    Measurement row;
    row.numerics = numerics;
    row.problem = problem;
    row.backend = library.backend;
    row.library = library.name;
    row.library_version = library.version;
    row.implementation = implementation;
    row.dtype = "f32";
    row.samples_taken = 5;
    row.min_ns = hot_ms * 1e6;
    row.median_ns = row.p90_ns = row.min_ns * 1.5;
    std::vector<Measurement> rows = {row};
    if (cold_ms) {
      row.cold = true;
      row.min_ns = row.median_ns = row.p90_ns = *cold_ms * 1e6;
      rows.push_back(row);
    }
    REQUIRE(database_.add(system_, library, problem, 0, 0, rows).ok());
  }

  std::vector<LayerTime> times_of(const LayeredModel& model) const {
    LookUp look_up;
    look_up.system_key = system_.key();
    look_up.libraries = {kOneDnn, kOpenBlas};
    return look_up_times(model, database_, look_up);
  }

 private:
  std::filesystem::path folder_;
  SystemFacts system_;
  Database database_;
};

void set_problem(LayeredModel* model, size_t layer, const std::string& problem) {
  Layer& of = model->layers[layer];
  of.problem = problem;
  of.unique = 0;
  while (of.unique < model->unique.size() && model->unique[of.unique].problem != problem) ++of.unique;
  if (of.unique == model->unique.size()) model->unique.push_back({problem, layer, 0, ""});
  ++model->unique[of.unique].layers;
}

}  // namespace

TEST_CASE("a cold benchmark that is quicker than the hot one bounds, and one that no memory explains is left out") {
  MeasuredProblems measured;
  measured.add(kOneDnn, "matmul src=1x2", "brgemm", 2, 1.5);
  measured.add(kOneDnn, "softmax src=1x2", "jit", 1, 7);
  LayeredModel model = graph_of({{}, {0}});
  set_problem(&model, 0, "matmul src=1x2");
  set_problem(&model, 1, "softmax src=1x2");
  for (Layer& layer : model.layers) layer.bytes = 1e6;  // a millisecond of the slowest memory
  const std::vector<LayerTime> times = measured.times_of(model);
  CHECK(*times[0].bound_ms == Approx(1.5));
  CHECK(*times[0].expected_ms == Approx(1.5));
  CHECK(*times[1].bound_ms == Approx(1));
  CHECK_FALSE(times[1].expected_ms);
}

TEST_CASE("what rounds otherwise is known with the time of the best that does not") {
  MeasuredProblems measured;
  measured.add(kOneDnn, "conv src=1x2", "wino", 1, std::nullopt, Numerics::kTransform);
  measured.add(kOneDnn, "conv src=1x2", "direct", 2);
  LayeredModel model = graph_of({{}});
  set_problem(&model, 0, "conv src=1x2");
  const std::vector<LayerTime> times = measured.times_of(model);
  CHECK_FALSE(times[0].is_exact);
  CHECK(*times[0].bound_ms == Approx(1));
  CHECK(*times[0].exact_ms == Approx(2));
  const SequentialBound bound = make_bounds(model, times).layers().sequential;
  CHECK(bound.inexact == 1);
  CHECK(bound.exact_ms == Approx(2));
}

TEST_CASE("layers of one problem take the time of its quickest benchmark") {
  MeasuredProblems measured;
  measured.add(kOneDnn, "matmul src=1x2", "brgemm", 2, 2.5);
  measured.add(kOpenBlas, "matmul src=1x2", "gemm", 1.5);
  measured.add(kOneDnn, "softmax src=1x2", "jit", 0.25, 0.5);
  LayeredModel model = graph_of({{}, {0}, {1}, {2}});
  set_problem(&model, 0, "matmul src=1x2");
  set_problem(&model, 1, "softmax src=1x2");
  set_problem(&model, 2, "matmul src=1x2");
  set_problem(&model, 3, "lrn src=1x2");

  const std::vector<LayerTime> times = measured.times_of(model);
  REQUIRE(times.size() == 4);
  CHECK(*times[0].bound_ms == Approx(1.5));
  CHECK(times[0].library == kOpenBlas.name + " " + kOpenBlas.version);
  CHECK(times[0].implementation == "gemm");
  CHECK_FALSE(times[0].expected_ms);
  CHECK(times[0].is_noisy);
  CHECK(*times[1].expected_ms == Approx(0.5));
  CHECK(times[2].bound_ms == times[0].bound_ms);
  CHECK_FALSE(times[3].bound_ms);
  CHECK(times[3].counts);
  CHECK_FALSE(times[3].reason.empty());

  const SequentialBound bound = make_bounds(model, times).layers().sequential;
  CHECK(bound.bound_ms == Approx(3.25));
  // Of most of the time nothing from memory is known.
  CHECK_FALSE(bound.expected_ms);
  CHECK(bound.missing == 1);
}

TEST_CASE("layers without work cost nothing, and those that cannot be benchmarked say why") {
  MeasuredProblems measured;
  measured.add(kOneDnn, "Reshape in=f32[1]", "never", 7);
  measured.add(kOneDnn, "acme.Foo in=f32[1]", "never", 7);
  LayeredModel model = graph_of({{}, {0}, {1}, {2}, {3}});
  model.layers[0].layer_class = LayerClass::kZero;
  set_problem(&model, 0, "Reshape in=f32[1]");
  model.layers[1].layer_class = LayerClass::kUnknown;
  model.layers[1].type = "acme.Foo";
  set_problem(&model, 1, "acme.Foo in=f32[1]");
  model.layers[2].layer_class = LayerClass::kControl;
  model.layers[3].reason = "it lies behind acme.Foo";

  const std::vector<LayerTime> times = measured.times_of(model);
  CHECK(times[0].bound_ms == 0.0);
  CHECK_FALSE(times[0].counts);
  for (size_t layer = 1; layer < 5; ++layer) {
    CHECK_FALSE(times[layer].bound_ms);
    CHECK(times[layer].counts);
  }
  CHECK(times[1].reason == "the operator acme.Foo is unknown");
  CHECK_THAT(times[2].reason, Catch::Contains("run time"));
  CHECK(times[3].reason == "it lies behind acme.Foo");
  CHECK(times[4].reason == "its shapes are not known");
}
