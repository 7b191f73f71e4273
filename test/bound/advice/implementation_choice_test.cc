#include "bound/advice/implementation_choice.h"

#include <algorithm>

#include "analysis/study/analysed_trace.h"
#include "bound/advice/engine_knobs.h"
#include "bound/advice/used_implementation.h"
#include "test/catch.h"
#include "test/contains.h"
#include "test/temporary_folder.h"

namespace xsp::bound {
namespace {

using test::contains;

constexpr const char* kImageProblem =
    "conv src=1x64x56x56 wei=64x64x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=0 post= dtype=f32";

Library library_of(const std::string& version = "3.2.0", const std::string& name = "onednn") {
  return {.backend = name, .name = name, .version = version, .build = "", .path = ""};
}

SystemFacts choosing_system() {
  SystemFacts facts;
  facts.device = "Fast CPU";
  facts.isa = "avx512_vnni";
  facts.cores = 2;
  return facts;
}

LookUp look_up_of(const std::vector<Library>& libraries = {library_of()}) {
  LookUp look_up;
  look_up.system_key = choosing_system().key();
  look_up.libraries = libraries;
  return look_up;
}

/// A database in a folder of its own.
class ChoiceDatabase {
 public:
  ChoiceDatabase() { REQUIRE(database_.open(folder_ / "bounds.sqlite", false).ok()); }

  Database& operator*() { return database_; }
  void add(const std::vector<Measurement>& rows, const std::string& problem = kImageProblem,
           const Library& library = library_of()) {
    REQUIRE(database_.add(choosing_system(), library, problem, 1e9, 2e6, rows).ok());
  }

 private:
  test::TemporaryFolder folder_;
  Database database_;
};

/// A call of oneDNN for kImageProblem, channels last.
TraceCall convolution_call(const std::string& implementation, const std::string& layout = "acdb:Acdb64a:acdb") {
  TraceCall call;
  call.call_index = 7;
  call.library = "onednn";
  call.function = "convolution";
  call.problem = kImageProblem;
  call.implementation = implementation;
  call.layout = layout;
  return call;
}

Measurement row_of(const std::string& implementation, const std::string& layout, double ms) {
  Measurement row;
  row.backend = "onednn";
  row.implementation = implementation;
  row.layout = layout;
  row.dtype = "f32";
  row.samples_taken = 3;
  row.min_ns = row.median_ns = row.p90_ns = ms * 1e6;
  row.started_at = 1000;
  return row;
}

/// In the order in which a library proposes them.
std::vector<Measurement> measured_rows() {
  return {row_of("brgconv:avx512_core", "any: acdb", 1.5), row_of("jit:avx512_core", "any: aBcd16b", 1.25),
          row_of("jit:avx512_core", "channels_last", 2), row_of("jit:avx2", "any: aBcd8b", 3)};
}

ImplementationChoice choice_of(Database& database, const TraceCall& call, const LookUp& look_up = look_up_of()) {
  JoinedTrace trace;
  trace.calls = {call};
  const auto choices = implementation_choices(trace, database, look_up);
  REQUIRE(choices.size() == 1);
  return choices.front();
}

TEST_CASE("a choice has the benchmarks of what was used, of the library's first choice, and of the best") {
  ChoiceDatabase database;
  database.add(measured_rows());
  const ImplementationChoice choice = choice_of(*database, convolution_call("jit:avx512_core"));
  CHECK(choice.used == "jit:avx512_core");
  CHECK(choice.library == "onednn 3.2.0");
  CHECK(choice.benchmark == "onednn 3.2.0 (channels_last)");
  CHECK(choice.used_ms == 2.0);
  CHECK(choice.heuristic == "onednn 3.2.0 brgconv:avx512_core (any: acdb)");
  CHECK(choice.heuristic_ms == 1.5);
  CHECK(choice.best == "onednn 3.2.0 jit:avx512_core (any: aBcd16b)");
  CHECK(choice.best_ms == 1.25);
  CHECK(choice.loss_ms == 0.75);
  CHECK(choice.reason.empty());
}

TEST_CASE("an implementation that a later version renamed is the same one") {
  ChoiceDatabase database;
  database.add(measured_rows());
  const ImplementationChoice choice = choice_of(*database, convolution_call("brg_conv_fwd:avx512_core"));
  CHECK(choice.used == "brg_conv_fwd:avx512_core");
  CHECK(choice.benchmark == "onednn 3.2.0 brgconv:avx512_core (any: acdb)");
  CHECK(choice.loss_ms == 0.25);
  CHECK(is_same_implementation("brg_matmul:avx512_core_bf16", "brg:avx512_core_bf16"));
  CHECK(is_same_implementation("brg_deconv:avx512_core+brgconv_strided:avx512_core",
                               "brg_conv:avx512_core+brgconv_strided:avx512_core"));
  CHECK_FALSE(is_same_implementation("brg_conv_fwd:avx512_core", "brgconv:avx2"));
  CHECK_FALSE(is_same_implementation("brg_conv_fwd:avx512_core", "brgconv_1x1:avx512_core"));
  CHECK(is_same_implementation("engine 35", "sum: engine 35 knobs 4=2,13=1"));
  CHECK_FALSE(is_same_implementation("engine 3", "engine 35"));
  CHECK_FALSE(is_same_implementation("", ""));
}

TEST_CASE("of several versions the newest one that has the implementation counts") {
  ChoiceDatabase database;
  database.add({row_of("jit:avx2", "any: aBcd8b", 4), row_of("jit_wino_4x3:avx512_core", "any: aBcd16b", 1)},
               kImageProblem, library_of("2.6.3"));
  database.add({row_of("jit:avx2", "any: aBcd8b", 3)}, kImageProblem, library_of("3.10.1"));
  database.add({row_of("jit:avx2", "any: aBcd8b", 5)}, kImageProblem, library_of("3.9.0"));
  const LookUp look_up = look_up_of({library_of("2.6.3"), library_of("3.9.0"), library_of("3.10.1")});
  CHECK(choice_of(*database, convolution_call("jit:avx2"), look_up).used_ms == 3.0);
  const ImplementationChoice winograd = choice_of(*database, convolution_call("jit_wino_4x3:avx512_core"), look_up);
  CHECK(winograd.used == "jit_wino_4x3:avx512_core");
  CHECK(winograd.benchmark == "onednn 2.6.3 (any: aBcd16b)");
  CHECK(winograd.heuristic == "onednn 2.6.3 jit:avx2 (any: aBcd8b)");
  CHECK(winograd.is_best_exact);
  CHECK(winograd.loss_ms == 0.0);
}

TEST_CASE("the best is recognisable where it rounds otherwise") {
  ChoiceDatabase database;
  std::vector<Measurement> rows = measured_rows();
  rows.push_back(row_of("jit_wino_4x3:avx512_core", "any: aBcd16b", 0.5));
  rows.back().numerics = Numerics::kTransform;
  database.add(rows);
  const ImplementationChoice choice = choice_of(*database, convolution_call("jit:avx512_core"));
  CHECK(choice.best == "onednn 3.2.0 jit_wino_4x3:avx512_core (any: aBcd16b), other rounding");
  CHECK_FALSE(choice.is_best_exact);
  CHECK(choice_of(*database, convolution_call("jit_wino_4x3:avx512_core")).benchmark == "onednn 3.2.0 (any: aBcd16b)");
}

TEST_CASE("what has no benchmark has a reason and no loss") {
  ChoiceDatabase database;
  const ImplementationChoice none = choice_of(*database, convolution_call("jit:avx2"));
  CHECK(none.used == "jit:avx2");
  CHECK_FALSE(none.used_ms);
  CHECK_FALSE(none.loss_ms);
  CHECK(none.reason == "not measured");

  database.add(measured_rows());
  const ImplementationChoice unknown = choice_of(*database, convolution_call("jit:avx10_1_512"));
  CHECK(unknown.used == "jit:avx10_1_512");
  CHECK(unknown.best_ms == 1.25);
  CHECK(unknown.heuristic_ms == 1.5);
  CHECK_FALSE(unknown.loss_ms);
  CHECK(unknown.reason == "onednn 3.2.0 has no jit:avx10_1_512 for it");
  CHECK(contains(choice_of(*database, convolution_call("")).reason, "does not tell which implementation"));
  // Of two layouts neither is that of the call.
  const ImplementationChoice layout = choice_of(*database, convolution_call("jit:avx512_core", "abcd:Acdb16a:aBcd16b"));
  CHECK_FALSE(layout.loss_ms);
  CHECK(contains(layout.reason, "in other layouts than abcd:Acdb16a:aBcd16b"));
  TraceCall other = convolution_call("engine 3");
  other.library = "cudnn";
  CHECK(choice_of(*database, other).reason == "not measured with cudnn");
}

TEST_CASE("with --exact a transform is neither the first choice nor the best, and what used it has no loss") {
  ChoiceDatabase database;
  std::vector<Measurement> rows = measured_rows();
  rows.insert(rows.begin(), row_of("jit_wino_4x3:avx512_core", "any: aBcd16b", 0.5));
  rows.front().numerics = Numerics::kTransform;
  database.add(rows);
  LookUp look_up = look_up_of();
  CHECK(choice_of(*database, convolution_call("jit:avx2"), look_up).loss_ms == 2.5);
  look_up.exact = true;
  const ImplementationChoice exact = choice_of(*database, convolution_call("jit:avx2"), look_up);
  CHECK(exact.heuristic == "onednn 3.2.0 brgconv:avx512_core (any: acdb)");
  CHECK(exact.loss_ms == 1.75);
  const ImplementationChoice winograd = choice_of(*database, convolution_call("jit_wino_4x3:avx512_core"), look_up);
  CHECK(winograd.used_ms == 0.5);
  CHECK_FALSE(winograd.loss_ms);
  CHECK(contains(winograd.reason, "rounds otherwise"));
}

TEST_CASE("a product of BLAS is compared by the library that its calls went to") {
  const std::string product = "matmul src=1x2048 wei=1000x2048 ta=0 tb=1 bias=0 post= dtype=f32";
  ChoiceDatabase database;
  Measurement gemm = row_of("sgemm", "plain", 0.5), gemv = row_of("sgemv", "plain", 0.25);
  gemm.backend = gemv.backend = "blas";
  database.add({gemm, gemv}, product, library_of("2024.2", "mkl"));
  gemm.min_ns = 1e6;
  database.add({gemm}, product, library_of("0.3.21", "openblas"));
  const LookUp look_up = look_up_of({library_of("2024.2", "mkl"), library_of("0.3.21", "openblas")});

  analysis::AnalysedTrace recorded;
  recorded.trace.processes.resize(1);
  recorded.trace.tracks = {{.process = 0}};
  recorded.trace.spans.resize(1);
  JoinedTrace trace;
  trace.trace = &recorded;
  TraceCall call;
  call.row = 0;
  call.library = "blas";
  call.function = "sgemm_";
  call.implementation = "sgemm";
  call.problem = product;
  trace.calls = {call};
  CHECK(contains(implementation_choices(trace, *database, look_up).at(0).reason, "does not tell which BLAS"));

  recorded.trace.used_libraries = {{0, "blas", "/usr/lib/python3/torch/lib/libtorch_cpu.so"}};
  const ImplementationChoice choice = implementation_choices(trace, *database, look_up).at(0);
  CHECK(choice.used == "sgemm");
  CHECK(choice.benchmark == "mkl 2024.2 (plain)");
  CHECK(choice.heuristic == "mkl 2024.2 sgemm (plain)");
  CHECK(choice.best == "mkl 2024.2 sgemv (plain)");
  CHECK(choice.loss_ms == 0.25);

  recorded.trace.used_libraries.push_back({0, "blas", "/usr/lib/openblas/libopenblas64.so.0"});
  CHECK(contains(implementation_choices(trace, *database, look_up).at(0).reason, "mkl or openblas"));
}

TEST_CASE("knobs of an engine of cuDNN are the same by name and by number, in any order") {
  analysis::ExecutionPlan plan;
  plan.knobs = {{"TILEK", 1}, {"TILE_SIZE", 8}};
  CHECK(knobs_of_plan(plan) == EngineKnobs{{2, 8}, {13, 1}});
  CHECK(knobs_of_plan(plan) == knobs_of_name("sum: engine 38 knobs 13=1,2=8"));
  CHECK(knobs_of_name("engine 38 knobs 13=1,2=7") != knobs_of_plan(plan));
  CHECK(knobs_of_name("engine 38").empty());
  CHECK(knobs_of_name("engine 38 knobs 2=8,x").empty());
  plan.knobs.emplace_back("FROM_THE_FUTURE", 1);
  CHECK(knobs_of_plan(plan).empty());
}

TEST_CASE("of an engine that was measured with several knobs those that ran count") {
  const Library cudnn = library_of("9.1.0", "cudnn");
  ChoiceDatabase database;
  std::vector<Measurement> rows = {row_of("engine 38 knobs 2=7,13=1", "channels_last", 3),
                                   row_of("engine 38 knobs 13=1,2=8", "channels_last", 2)};
  for (Measurement& row : rows) row.backend = "cudnn";
  database.add(rows, kImageProblem, cudnn);

  analysis::AnalysedTrace recorded;
  analysis::ProcessStrings strings;
  strings.define(0, 0);
  strings.define(
      1,
      recorded.trace.strings.intern(
          R"({"operationGraph": {"nodes": [{}]}, "engine": {"engineId": 38, "knobChoices": {"CUDNN_KNOB_TYPE_TILE_SIZE": 8,)"
          R"( "CUDNN_KNOB_TYPE_TILEK": 1}}})"));
  uint64_t missing = 0;
  recorded.trace.spans.resize(1);
  recorded.trace.spans.arguments = {recorded.trace.arguments.add(recorded.trace.strings.intern("plan:s4"),
                                                                 std::string("\1\0\0\0", 4), recorded.trace.strings,
                                                                 strings, &missing) +
                                    1};
  JoinedTrace trace;
  trace.trace = &recorded;
  trace.calls = {convolution_call("engine 38", "nhwc:nhwc:nhwc")};
  trace.calls[0].row = 0;
  trace.calls[0].library = "cudnn";
  trace.calls[0].function = "cudnnBackendExecute";
  const ImplementationChoice choice = implementation_choices(trace, *database, look_up_of({cudnn})).at(0);
  CHECK(choice.used_ms == 2.0);
  CHECK(choice.benchmark == "cudnn 9.1.0 engine 38 knobs 13=1,2=8 (channels_last)");
}

TEST_CASE("only products and convolutions are choices, each call one") {
  ChoiceDatabase database;
  database.add(measured_rows());
  JoinedTrace trace;
  TraceCall other = convolution_call("jit:uni");
  other.problem = "transpose src=2x8 perm=1,0 dtype=f32";
  TraceCall unknown = convolution_call("jit:uni");
  unknown.problem = "";
  trace.calls = {other, convolution_call("jit:avx2"), unknown, convolution_call("jit:avx2")};
  const auto choices = implementation_choices(trace, *database, look_up_of());
  REQUIRE(choices.size() == 2);
  CHECK(choices[0].call == 1);
  CHECK(choices[1].call == 3);
  CHECK(choices[1].loss_ms == choices[0].loss_ms);
}

TEST_CASE("each problem of a trace is to be measured once") {
  JoinedTrace trace;
  trace.subject = "ResNet, input [1,3,224,224]";
  TraceCall product = convolution_call("sgemm");
  product.function = "sgemm_";
  product.problem = "matmul src=5x30 wei=30x7 ta=0 tb=0 bias=0 post= dtype=f32";
  trace.calls = {convolution_call("jit:avx2"), product, convolution_call("brgconv:avx2")};
  const std::vector<WorkItem> items = call_items(trace);
  REQUIRE(items.size() == 2);
  CHECK(items[0].problem == kImageProblem);
  CHECK(items[0].of == "ResNet: convolution, 2 calls");
  CHECK(items[0].flops == 2.0 * 64 * 56 * 56 * 64 * 9);
  CHECK(items[0].bytes == 4.0 * (2 * 64 * 56 * 56 + 64 * 64 * 9));
  CHECK(items[1].of == "ResNet: sgemm_, 1 call");
  CHECK(items[1].flops == 2.0 * 5 * 30 * 7);
  CHECK(items[1].bytes == 4.0 * (5 * 30 + 30 * 7 + 5 * 7));
}

TEST_CASE("the layout of a benchmark counts but for dimensions of one element") {
  ChoiceDatabase database;
  const std::string pixel =
      "conv src=1x64x1x1 wei=128x64x1x1 strides=1x1 pads=0,0,0,0 dil=1x1 groups=1 bias=0 post= "
      "dtype=f32";
  database.add({row_of("jit_1x1:avx512_core", "any: aBcd16b", 2), row_of("jit_1x1:avx512_core", "channels_last", 1)},
               pixel);
  TraceCall call = convolution_call("jit_1x1:avx512_core", "abcd:Abcd16a:abcd");
  call.problem = pixel;
  CHECK(choice_of(*database, call).used_ms == 1.0);
}

TEST_CASE("weights that were packed are those of the benchmark with the same packing") {
  const std::string product = "matmul src=128x768 wei=768x300 ta=0 tb=0 bias=0 post= dtype=f32";
  ChoiceDatabase database;
  database.add({row_of("brg:avx512_core", "weights any: BA16a64b", 1), row_of("brg:avx512_core", "plain", 2),
                row_of("brgemm:avx512_core", "inner product, weights any: AB16b64a", 3)},
               product);
  const auto used_ms = [&](const std::string& function, const std::string& implementation, const std::string& layout) {
    TraceCall call = convolution_call(implementation, layout);
    call.function = function;
    call.problem = product;
    return choice_of(*database, call).used_ms;
  };
  CHECK(used_ms("matmul", "brg_matmul:avx512_core", "ab:BA16a64b:ab") == 1.0);
  CHECK(used_ms("matmul", "brg_matmul:avx512_core", "ab:ab:ab") == 2.0);
  CHECK(used_ms("inner_product", "brg_matmul:avx512_core", "ab:AB16b64a:ab") == 3.0);
  CHECK_FALSE(used_ms("matmul", "brg_matmul:avx512_core", "ab:BA16a48b:ab"));
}

}  // namespace
}  // namespace xsp::bound
