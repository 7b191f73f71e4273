#include "analysis/findings/finding.h"

#include <algorithm>
#include <map>

#include "analysis/tables/registry.h"
#include "test/analysis/contains.h"
#include "test/analysis/trace_builder.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

using test::contains;

/// An evaluation of one layer, so that the study has a subject whose latency is 10 ms.
std::string one_model() {
  test::TraceBuilder builder;
  builder.add_process(10);
  for (int64_t i = 0; i < 3; ++i) builder.add_evaluation(100 * i, {6, 4});
  return builder.bytes();
}

/// Tables as analyses give them, with numbers of the test's choice.
class Tables {
 public:
  Tables() : analysed_({one_model()}) { REQUIRE(analysed_.status.ok()); }

  Table& add(const std::string& id, const std::vector<std::string>& columns, std::vector<std::vector<Cell>> rows) {
    Table& table = tables_.emplace_back();
    table.id = id;
    for (const std::string& column : columns) table.columns.push_back({column, ""});
    table.rows = std::move(rows);
    return table;
  }

  std::vector<Finding> found() const { return findings(*analysed_.study, tables_); }

  /// The finding of this id, or null. Its evidence is checked: the table is in the report, and so is the row.
  const Finding* find(const std::string& id) {
    found_ = found();
    const auto at = std::find_if(found_.begin(), found_.end(), [&](const Finding& f) { return f.id == id; });
    if (at == found_.end()) return nullptr;
    const auto table = std::find_if(tables_.begin(), tables_.end(), [&](const Table& t) { return t.id == at->table; });
    REQUIRE(table != tables_.end());
    if (!at->column.empty()) {
      const auto column = std::find_if(table->columns.begin(), table->columns.end(),
                                       [&](const Column& c) { return c.name == at->column; });
      REQUIRE(column != table->columns.end());
      const auto index = static_cast<size_t>(column - table->columns.begin());
      CHECK(std::any_of(table->rows.begin(), table->rows.end(), [&](const auto& row) {
        const auto* text = std::get_if<std::string>(&row[index]);
        const auto* integer = std::get_if<int64_t>(&row[index]);
        return text != nullptr ? *text == at->key : integer != nullptr && std::to_string(*integer) == at->key;
      }));
    }
    return &*at;
  }

 private:
  test::Analysed analysed_;
  std::vector<Table> tables_;
  std::vector<Finding> found_;
};

Cell text(const std::string& value) { return value; }
Cell count(int64_t value) { return value; }

const std::vector<std::string> kTypes = {"type", "count", "latency_ms", "latency_pct"};

TEST_CASE("a layer type is a bottleneck from a quarter of layer time on") {
  Tables large;
  large.add("A6", kTypes,
            {{text("Conv"), count(3), 2.5, 25.0},
             {text("ReLU"), count(9), 2.4, 24.0},
             {text("DataLoader"), count(0), 5.1, 51.0}});
  const Finding* finding = large.find("bottleneck-layer-type");
  REQUIRE(finding != nullptr);
  CHECK(finding->text == "Conv: 2.50 ms of every 11.0 ms call (23 %), in 3 of 12 layers");
  CHECK(finding->value == 25);
  CHECK(finding->key == "Conv");
  CHECK(finding->weight == Approx(2.5 / 11));  // of a call, 11 ms
  CHECK(finding->share_of == "call");
  CHECK_FALSE(finding->gain_ms);
  Tables small;
  small.add("A6", kTypes,
            {{text("Conv"), count(3), 2.4, 24.9},
             {text("ReLU"), count(9), 2.3, 24.0},
             {text("DataLoader"), count(0), 5.0, 51.0}});
  CHECK(small.find("bottleneck-layer-type") == nullptr);
  Tables only;
  only.add("A6", kTypes, {{text("Conv"), count(3), 2.5, 100.0}});
  CHECK(only.find("bottleneck-layer-type") == nullptr);
}

const std::vector<std::string> kLayers = {"index", "name", "type", "latency_ms"};

TEST_CASE("one layer of several of its type is told when it dominates") {
  Tables dominated;
  dominated.add("A2", kLayers,
                {{count(0), text("a"), text("Conv"), 1.0},
                 {count(1), text("b"), text("Conv"), 7.0},
                 {count(2), text("c"), text("ReLU"), 1.0},
                 {count(3), text("d"), text("ReLU"), 1.0}});
  const Finding* finding = dominated.find("bottleneck-layer");
  REQUIRE(finding != nullptr);
  CHECK(finding->text == "One layer, Conv b (index 1): 7.00 ms of every 11.0 ms call (64 %)");
  CHECK(finding->key == "1");
  Tables even;
  even.add("A2", kLayers,
           {{count(0), text("a"), text("Conv"), 2.0},
            {count(1), text("b"), text("Conv"), 2.4},
            {count(2), text("c"), text("ReLU"), 2.8},
            {count(3), text("d"), text("ReLU"), 2.8},
            {count(4), text("e"), text("ReLU"), 2.0}});
  CHECK(even.find("bottleneck-layer") == nullptr);
  Tables alone;  // its type says it
  alone.add("A6", kTypes, {{text("Gemm"), count(1), 7.0, 70.0}, {text("ReLU"), count(2), 2.0, 20.0}});
  alone.add("A2", kLayers,
            {{count(0), text("a"), text("Gemm"), 7.0},
             {count(1), text("b"), text("Conv"), 1.0},
             {count(2), text("c"), text("ReLU"), 1.0},
             {count(3), text("d"), text("ReLU"), 1.0}});
  CHECK(alone.find("bottleneck-layer") == nullptr);
  Tables second;  // another type has more time, and is told
  second.add("A6", kTypes, {{text("Conv"), count(3), 6.0, 60.0}, {text("Gemm"), count(1), 4.0, 40.0}});
  second.add("A2", kLayers,
             {{count(0), text("a"), text("Gemm"), 4.0},
              {count(1), text("b"), text("Conv"), 2.0},
              {count(2), text("c"), text("Conv"), 2.0},
              {count(3), text("d"), text("Conv"), 2.0}});
  const Finding* one = second.find("bottleneck-layer");
  REQUIRE(one != nullptr);
  CHECK(one->key == "0");
}

TEST_CASE("in training the bottleneck is that of forward and backward together, and the text says so") {
  Tables types;
  std::vector<std::string> columns = kTypes;
  columns.emplace_back("backward_ms");
  types.add("A6", columns,
            {{text("Linear"), count(2), 4.0, 50.0, 1.0},
             {text("Conv"), count(1), 3.0, 37.5, 11.0},
             {text("Optimizer"), count(1), 1.0, 12.5, 0.0}});
  const Finding* finding = types.find("bottleneck-layer-type");
  REQUIRE(finding != nullptr);
  CHECK(finding->text == "Conv: 14.0 ms, forward and backward, of every 11.0 ms call (127 %), in 1 of 4 layers");
  CHECK(finding->key == "Conv");
  Tables layers;
  columns = kLayers;
  columns.emplace_back("backward_ms");
  layers.add("A2", columns,
             {{count(0), text("a"), text("Conv"), 2.0, 1.0},
              {count(1), text("b"), text("Conv"), 1.0, 9.0},
              {count(2), text("c"), text("ReLU"), 3.0, 2.0},
              {count(3), text("d"), text("ReLU"), 2.0, 0.0}});
  finding = layers.find("bottleneck-layer");
  REQUIRE(finding != nullptr);
  CHECK(finding->key == "1");
  CHECK(contains(finding->text, "10.0 ms, forward and backward, of every 11.0 ms call (91 %)"));
}

const std::vector<std::string> kWaits = {"type", "count", "latency_ms", "latency_pct", "wait_ms"};

TEST_CASE("what a layer waits is no work of it") {
  Tables waits;
  waits.add("A6", kWaits,
            {{text("aten::to"), count(1), 6.0, 60.0, 5.9},
             {text("Conv"), count(8), 3.0, 30.0, 0.0},
             {text("ReLU"), count(8), 1.0, 10.0, 0.0}});
  const Finding* finding = waits.find("bottleneck-layer-type");
  REQUIRE(finding != nullptr);
  CHECK(finding->key == "Conv");
  Tables all;
  all.add("A6", kWaits,
          {{text("aten::item"), count(1), 6.0, 60.0, 6.0}, {text("DataLoader"), count(1), 4.0, 40.0, 4.0}});
  CHECK(all.find("bottleneck-layer-type") == nullptr);
}

/// Cells of A15 by name; what is not named is 0.
void add_step(const std::map<std::string, double>& cells, Tables* out) {
  static const std::vector<std::string> kColumns = {
      "model",         "step_ms",      "kernel_latency_ms", "kernel_count",
      "gpu_busy_ms",   "gpu_busy_pct", "communication_ms",  "exposed_communication_ms",
      "idle_input_ms", "idle_sync_ms", "idle_sync_copy_ms", "idle_copy_ms",
      "idle_host_ms",  "long_gap_ms",  "input_wait_ms",     "sync_wait_ms"};
  std::vector<Cell> row = {text("Net")};
  for (size_t i = 1; i < kColumns.size(); ++i) {
    const auto cell = cells.find(kColumns[i]);
    row.emplace_back(cell == cells.end() ? 0.0 : cell->second);
  }
  out->add("A15", kColumns, {row});
}

TEST_CASE("waiting for input is told by what the device loses, not by how long the host waits") {
  Tables starved;
  add_step({{"step_ms", 10}, {"input_wait_ms", 4}, {"idle_input_ms", 3}, {"gpu_busy_ms", 7}}, &starved);
  const Finding* finding = starved.find("input-wait");
  REQUIRE(finding != nullptr);
  CHECK(finding->text == "Waits for input: 4.00 ms of every 10.0 ms call (40 %); no kernel runs for 3.00 ms of it");
  CHECK(finding->gain_ms == 3);
  CHECK(*finding->share_pct == Approx(40));
  Tables hidden;
  add_step({{"step_ms", 10}, {"input_wait_ms", 4}, {"idle_input_ms", 0.4}, {"gpu_busy_ms", 9.6}}, &hidden);
  CHECK(hidden.find("input-wait") == nullptr);
}

TEST_CASE("a host that blocks is told once, by what it waits for") {
  Tables blocked;
  add_step({{"step_ms", 10}, {"idle_sync_ms", 2}, {"idle_sync_copy_ms", 0.5}}, &blocked);
  blocked.add("A2", {"index", "name", "type", "latency_ms", "wait_ms"},
              {{count(0), text("loss.item"), text("aten::item"), 3.0, 2.0}});
  REQUIRE(blocked.find("sync-wait") != nullptr);
  CHECK(contains(blocked.find("sync-wait")->text, "2.00 ms of every 10.0 ms call (20 %), in loss.item"));
  CHECK(blocked.find("copies") == nullptr);
  Tables copies;
  add_step({{"step_ms", 10}, {"idle_sync_ms", 2}, {"idle_sync_copy_ms", 1.5}, {"idle_copy_ms", 1}}, &copies);
  copies.add("C2", {"library", "function", "kernel_ms"}, {{text("device memory"), text("memcpy DtoD"), 2.5}});
  REQUIRE(copies.find("copies") != nullptr);
  CHECK(contains(copies.find("copies")->text, "3.00 ms of every 10.0 ms call (30 %), most of them memcpy DtoD"));
  CHECK(contains(copies.find("copies")->advice, "inside the device"));
  CHECK(copies.find("sync-wait") == nullptr);
}

TEST_CASE("a device that waits for the host is launch-bound where kernels are short and gaps too") {
  Tables bound;
  add_step({{"step_ms", 10}, {"idle_host_ms", 8}, {"kernel_count", 100}, {"kernel_latency_ms", 1}}, &bound);
  const Finding* finding = bound.find("launch-bound");
  REQUIRE(finding != nullptr);
  CHECK(contains(finding->text, "8.00 ms of every 10.0 ms call (80 %): 100 kernels of 10.0 µs on average"));
  Tables pause;
  add_step({{"step_ms", 10}, {"idle_host_ms", 8}, {"long_gap_ms", 5}, {"kernel_count", 100}, {"kernel_latency_ms", 1}},
           &pause);
  CHECK(pause.find("launch-bound") == nullptr);
  REQUIRE(pause.find("gpu-idle") != nullptr);
  Tables long_kernels;
  add_step({{"step_ms", 10}, {"idle_host_ms", 4}, {"kernel_count", 10}, {"kernel_latency_ms", 6}}, &long_kernels);
  CHECK(long_kernels.find("launch-bound") == nullptr);
  CHECK(long_kernels.find("gpu-idle") != nullptr);
  Tables busy;
  add_step({{"step_ms", 10}, {"idle_host_ms", 1.4}, {"kernel_count", 100}, {"kernel_latency_ms", 1}}, &busy);
  CHECK(busy.find("launch-bound") == nullptr);
}

TEST_CASE("communication is told with what is exposed, which is what could be won") {
  Tables exposed;
  add_step({{"step_ms", 10}, {"communication_ms", 3}, {"exposed_communication_ms", 2}, {"gpu_busy_ms", 9}}, &exposed);
  REQUIRE(exposed.find("communication") != nullptr);
  CHECK(exposed.find("communication")->gain_ms == 2);
  Tables hidden;
  add_step({{"step_ms", 10}, {"communication_ms", 3}, {"gpu_busy_ms", 9}}, &hidden);
  REQUIRE(hidden.find("communication") != nullptr);
  CHECK(hidden.find("communication")->gain_ms == 0);
  Tables little;
  add_step({{"step_ms", 10}, {"communication_ms", 1}, {"gpu_busy_ms", 9}}, &little);
  CHECK(little.find("communication") == nullptr);
}

TEST_CASE("findings stand by what could be won, and one cause is told once") {
  Tables mixed;
  add_step({{"step_ms", 10},
            {"idle_input_ms", 1},
            {"input_wait_ms", 6},
            {"idle_host_ms", 3},
            {"kernel_count", 9},
            {"kernel_latency_ms", 1},
            {"gpu_busy_ms", 6}},
           &mixed);
  mixed.add("D4", {"diagnosis", "found", "value", "unit", "evidence", "advice"},
            {{text("host_bound"), true, 30.0, text("%"), text("x"), text("y")},
             {text("drift"), true, 20.0, text("%"), text("x"), text("y")}});
  const auto found = mixed.found();
  std::vector<std::string> ids;
  for (const Finding& finding : found) ids.push_back(finding.id);
  CHECK(std::find(ids.begin(), ids.end(), "host-bound") == ids.end());
  CHECK(std::find(ids.begin(), ids.end(), "iteration-drift") != ids.end());
  const auto at = [&](const std::string& id) { return std::find(ids.begin(), ids.end(), id) - ids.begin(); };
  CHECK(at("gpu-idle") < at("input-wait"));
}

const std::vector<std::string> kRoofline = {"kernel_name", "latency_ms", "bound", "pct_of_roof", "source"};

TEST_CASE("kernel time is memory-bound only where work is known for most of it") {
  Tables known;
  known.add("A9", kRoofline,
            {{text("add"), 4.0, text("memory"), 80.0, text("counters")},
             {text("gemm"), 4.0, text("compute"), 60.0, text("counters")},
             {text("other"), 2.0, Cell(), Cell(), text("none")}});
  const Finding* finding = known.find("memory-bound");
  REQUIRE(finding != nullptr);
  CHECK(finding->text ==
        "Memory-bound: 4.00 ms of 10.0 ms of kernel time (40 %; work known for 80.0 % of it, from counters)");
  CHECK(finding->key == "add");
  Tables unknown;
  unknown.add("A9", kRoofline,
              {{text("add"), 4.0, text("memory"), 80.0, text("counters")},
               {text("gemm"), 3.9, text("compute"), 60.0, text("counters")},
               {text("other"), 2.1, Cell(), Cell(), text("none")}});
  CHECK(unknown.find("memory-bound") == nullptr);
  Tables compute;
  compute.add("A9", kRoofline,
              {{text("add"), 3.2, text("memory"), 80.0, text("analytic")},
               {text("gemm"), 6.8, text("compute"), 60.0, text("analytic")}});
  CHECK(compute.find("memory-bound") == nullptr);
}

TEST_CASE("kernels are far below their roof when they are long enough to reach it") {
  Tables far;
  far.add("A9", kRoofline,
          {{text("slow"), 0.3, text("compute"), 5.0, text("analytic")},
           {text("fast"), 0.7, text("compute"), 70.0, text("analytic")}});
  const Finding* finding = far.find("below-roof");
  REQUIRE(finding != nullptr);
  CHECK(contains(finding->text, "300 µs of 1.00 ms of kernel time (30 %) in kernels that reach less than 25 %"));
  CHECK(contains(finding->text, "slow reaches 5.0 % in 300 µs"));
  REQUIRE(finding->gain_ms);
  CHECK(*finding->gain_ms == Approx(0.3 * 0.95));
  Tables near;
  near.add("A9", kRoofline,
           {{text("slow"), 0.3, text("compute"), 25.0, text("analytic")},
            {text("fast"), 0.7, text("compute"), 70.0, text("analytic")}});
  CHECK(near.find("below-roof") == nullptr);
  Tables short_ones;
  short_ones.add("A9", kRoofline, {{text("tiny"), 0.019, text("compute"), 5.0, text("analytic")}});
  CHECK(short_ones.find("below-roof") == nullptr);
}

const std::vector<std::string> kCalls = {"library", "function", "count", "kernel_ms", "self_ms", "bytes"};

TEST_CASE("the calls of a library are told where they compute, not where they start kernels") {
  const auto tables = [](const std::string& library, Cell kernel_ms, Tables* out) {
    out->add("C2", kCalls,
             {{text(library), text("sgemm"), count(1), kernel_ms, 5.0, Cell()},
              {text("onednn"), text("execute"), count(7), Cell(), 5.0, Cell()},
              {text(library), text("other"), count(7), Cell(), 0.0, Cell()}});
  };
  Tables host;
  tables("blas", Cell(), &host);
  REQUIRE(host.find("bottleneck-function") != nullptr);
  CHECK(contains(host.find("bottleneck-function")->text, "sgemm of blas: 50 % of the time in libraries"));
  Tables starts;
  tables("cublas", 3.0, &starts);
  CHECK(starts.find("bottleneck-function") == nullptr);
  Tables runtime;
  tables("cudart", Cell(), &runtime);
  CHECK(runtime.find("bottleneck-function") == nullptr);
}

const std::vector<std::string> kComputingCalls = {"library", "function",  "count",       "self_ms",
                                                  "gflops",  "kernel_ms", "gflop_per_s", "file"};
const std::string kReference = "/usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0";

/// Calls of the 11 ms steps of Tables, all of one kind.
struct Product {
  std::string function = "sgemm_";
  std::string file = kReference;
  int64_t count = 10;
  double self_ms = 10.5;
  double gflops = 0.021;  // 2 Gflop/s
  Cell kernel_ms = {};

  std::vector<Cell> row() const {
    return {text("blas"), text(function),         count_cell(static_cast<uint64_t>(count)), self_ms, gflops,
            kernel_ms,    1e3 * gflops / self_ms, file.empty() ? Cell() : text(file)};
  }
};

TEST_CASE("products by the reference BLAS are told, with its file, speed and remedy") {
  Tables tables;
  tables.add("C2", kComputingCalls,
             {Product{}.row(), Product{.function = "dgemm_", .self_ms = 1, .gflops = 0.012}.row()});
  const Finding* finding = tables.find("slow-library");
  REQUIRE(finding != nullptr);
  CHECK(finding->text ==
        "sgemm_ runs at 2.0 GFLOP/s in …/blas/libblas.so.3.11.0, the reference BLAS: 95 % of the call");
  CHECK(finding->advice ==
        "apt install libopenblas0 (Debian, Ubuntu) puts OpenBLAS in its place, the program stays as it is; OpenBLAS "
        "does at least 8 GFLOP/s on one core even without AVX: at least 7.88 ms of 11.0 ms would go");
  CHECK(finding->value == Approx(2));
  REQUIRE(finding->gain_ms);
  CHECK(*finding->gain_ms == Approx(7.875));
  REQUIRE(finding->share_pct);
  CHECK(*finding->share_pct == Approx(100 * 10.5 / 11));
  CHECK(finding->share_of == "call");
  CHECK(finding->row == 0);
  // One cause is one finding.
  CHECK(tables.find("bottleneck-function") == nullptr);
}

TEST_CASE("other libraries than the reference BLAS are not told to be slow, nor calls that say little") {
  const auto is_told = [](const Product& product) {
    Tables tables;
    tables.add("C2", kComputingCalls, {product.row()});
    return tables.find("slow-library") != nullptr;
  };
  CHECK(is_told({}));
  for (const char* file :
       {"/usr/lib/libblas.so.3.12", "/opt/lib/librefblas.so.3", "/x/libcblas.so.3", "blas/libblas.so.3.11.0"}) {
    CHECK(is_told({.file = file}));
  }
  for (const char* file :
       {"", "/usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3",
        "/usr/lib/x86_64-linux-gnu/atlas/libblas.so.3.10.3", "/usr/lib/x86_64-linux-gnu/blis-openmp/libblas.so.3",
        "/opt/intel/oneapi/mkl/2024/lib/libmkl_rt.so.2", "/env/lib/libopenblasp-r0.3.21.so", "/env/lib/libblis.so.4",
        "/a/libmine.so", "/a/libmine.so, /usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0"}) {
    CHECK_FALSE(is_told({.file = file}));
  }
  // Its speed is no plain loop's, or that of single precision would be.
  CHECK_FALSE(is_told({.gflops = 0.169}));
  CHECK(is_told({.gflops = 0.167}));
  CHECK_FALSE(is_told({.function = "cblas_dgemm", .gflops = 0.085}));
  CHECK(is_told({.function = "cblas_dgemm64_", .gflops = 0.083}));
  // Vectors wait for memory, whoever multiplies them.
  CHECK_FALSE(is_told({.function = "sgemv_"}));
  CHECK_FALSE(is_told({.function = "saxpy_"}));
  // Tiny products, few calls, little time, work of a GPU.
  CHECK_FALSE(is_told({.count = 22}));
  CHECK_FALSE(is_told({.count = 4}));
  CHECK_FALSE(is_told({.self_ms = 9, .gflops = 0.018}));
  CHECK_FALSE(is_told({.kernel_ms = 4.0}));
}

TEST_CASE("what the reference BLAS costs a recording without steps is of all of it") {
  test::TraceBuilder builder;
  builder.add_process(10);
  auto* used = builder.packet(1)->mutable_used_library();
  used->set_library("blas");
  used->set_file("/opt/lib/libblas.so.3.12");
  constexpr int64_t kMs = 1'000'000;
  for (uint32_t i = 0; i < 10; ++i) {
    test::SpanSpec call{.begin = i * 10 * kMs, .end = (i * 10 + 4) * kMs, .id = i + 1};
    call.level = LEVEL_LIBRARY;
    call.kind = KIND_LIBRARY_CALL;
    call.name = "sgemm_";
    call.type = "blas";
    call.layout = "class=gemm type_a=R_32F type_b=R_32F type_c=R_32F m:i4 n:i4 k:i4";
    call.values = test::Values().add(int32_t{100}).add(int32_t{200}).add(int32_t{200});
    builder.add(call);
  }
  auto* end = builder.packet(1)->mutable_process_end();
  end->set_how(xsp::ProcessEnd::GOODBYE);
  end->set_end_ns(160 * kMs);
  const test::Analysed analysed({builder.bytes()});
  REQUIRE(analysed.status.ok());
  std::vector<Table> tables = {analysed.table("C2")};
  const auto found = findings(*analysed.study, tables);
  const auto slow = std::find_if(found.begin(), found.end(), [](const Finding& f) { return f.id == "slow-library"; });
  REQUIRE(slow != found.end());
  CHECK(slow->text == "sgemm_ runs at 2.0 GFLOP/s in …/lib/libblas.so.3.12, the reference BLAS: 25 % of the recording");
  CHECK(contains(slow->advice, "put OpenBLAS, BLIS or MKL in its place"));
  CHECK(*slow->gain_ms == Approx(30));
}

const std::vector<std::string> kLevels = {"level_set",   "event_level",  "latency_ms",
                                          "overhead_ms", "overhead_pct", "significant"};

TEST_CASE("the cost of levels is told where it is significant") {
  const auto tables = [](double overhead, bool significant, Tables* out) {
    out->add("L1", kLevels,
             {{text("M"), text("model"), 10.0, Cell(), Cell(), Cell()},
              {text("M/L"), text("model"), 10.0 + overhead, overhead, 10 * overhead, Cell(significant)}});
  };
  Tables costly;
  tables(0.5, true, &costly);
  const Finding* finding = costly.find("overhead");
  REQUIRE(finding != nullptr);
  CHECK(contains(finding->text, "recording M/L makes the model 5.0 % slower"));
  CHECK(finding->key == "M/L");
  Tables cheap;
  tables(0.4, true, &cheap);
  CHECK(cheap.find("overhead") == nullptr);
  Tables noise;
  tables(5, false, &noise);
  CHECK(noise.find("overhead") == nullptr);
}

TEST_CASE("the optimal batch size of one sweep is told") {
  const auto tables = [](double throughput, Tables* out) {
    Table& table = out->add("A1", {"batch_size", "latency_ms", "throughput_per_s", "model"},
                            {{count(1), 10.0, 100.0, text("Net")}, {count(2), 15.0, throughput, text("Net")}});
    table.extras = {{"optimal_batch", {{"rule", count(2)}, {"max", count(2)}, {"chosen", count(2)}}}};
  };
  Tables worth;
  tables(133.0, &worth);
  const Finding* finding = worth.find("optimal-batch");
  REQUIRE(finding != nullptr);
  CHECK(contains(finding->text, "2 is the optimal batch size of Net: 133 inputs/s, 15.00 ms a batch, 1.3 times"));
  CHECK(contains(finding->advice, "larger ones"));
  Tables not_worth;
  tables(109.0, &not_worth);
  CHECK(not_worth.find("optimal-batch") == nullptr);
}

TEST_CASE("no batch size is optimal by less than what its latency is uncertain") {
  const auto tables = [](double high, Tables* out) {
    Table& table =
        out->add("A1", {"batch_size", "latency_ms", "throughput_per_s", "model", "ci_low_ms", "ci_high_ms"},
                 {{count(1), 10.0, 100.0, text("Net"), 9.0, 11.0}, {count(2), 15.0, 133.0, text("Net"), 14.0, high}});
    table.extras = {{"optimal_batch", {{"chosen", count(2)}}}};
  };
  Tables sure;
  tables(17.9, &sure);  // below 9 ms an input
  CHECK(sure.find("optimal-batch") != nullptr);
  Tables unsure;
  tables(18.0, &unsure);
  CHECK(unsure.find("optimal-batch") == nullptr);
}

const std::vector<std::string> kQuality = {"quantity", "level", "value", "note"};

std::vector<Cell> quality(const std::string& quantity, int64_t value, const std::string& level = "all") {
  return {text(quantity), text(level), count(value), Cell()};
}

TEST_CASE("losses come first, slight ones last") {
  Tables many;
  many.add("A6", kTypes, {{text("Conv"), count(3), 9.0, 90.0}, {text("ReLU"), count(9), 1.0, 10.0}});
  many.add("Q1", kQuality, {quality("spans", 1000), quality("dropped", 1), quality("unmatched_launch", 0)});
  REQUIRE(many.found().size() == 2);
  CHECK(many.found()[0].id == "losses");
  CHECK(many.found()[0].weight == 1);
  CHECK(contains(many.found()[0].text, "1 span dropped while recording (0.1 % of 1000 spans)"));
  Tables slight;
  slight.add("A6", kTypes, {{text("Conv"), count(3), 9.0, 90.0}, {text("ReLU"), count(9), 1.0, 10.0}});
  slight.add("Q1", kQuality, {quality("spans", 1001), quality("dropped", 1)});
  REQUIRE(slight.found().size() == 2);
  CHECK(slight.found()[0].id == "bottleneck-layer-type");
  CHECK(slight.find("losses") != nullptr);
}

TEST_CASE("a damaged trace is worse than dropped spans, and both are counted") {
  Tables damaged;
  damaged.add("Q1", kQuality, {quality("spans", 10), quality("dropped", 5), quality("unreadable_bytes", 7)});
  const Finding* finding = damaged.find("losses");
  REQUIRE(finding != nullptr);
  CHECK(finding->text == "7 bytes of the trace cannot be read; another kind of loss is in Q1");
}

TEST_CASE("ambiguous spans, diverging runs and failed calls put the rest in doubt") {
  Tables doubtful;
  doubtful.add("Q1", kQuality,
               {quality("spans", 100), quality("ambiguous", 1), quality("divergence", 2),
                quality("failed_evaluations", 3, "model")});
  REQUIRE(doubtful.find("ambiguous-spans") != nullptr);
  CHECK(contains(doubtful.find("ambiguous-spans")->text,
                 "1 span inside several concurrent spans at once (1.0 % of all)"));
  REQUIRE(doubtful.find("divergence") != nullptr);
  CHECK(contains(doubtful.find("divergence")->text, "in 2 places"));
  REQUIRE(doubtful.find("failed-evaluations") != nullptr);
  Tables clean;
  clean.add("Q1", kQuality,
            {quality("spans", 100), quality("ambiguous", 0), quality("divergence", 0),
             quality("failed_evaluations", 0, "model"), quality("dropped", 0)});
  CHECK(clean.found().empty());
}

TEST_CASE("layers in no evaluation are told from a tenth on") {
  Tables many;
  many.add("Q1", kQuality, {quality("spans", 20, "layer"), quality("unattached", 2, "layer")});
  CHECK(many.find("unattached-layers") != nullptr);
  Tables few;
  few.add("Q1", kQuality, {quality("spans", 21, "layer"), quality("unattached", 2, "layer")});
  CHECK(few.find("unattached-layers") == nullptr);
}

TEST_CASE("a latency that is known badly is told first") {
  const std::vector<std::string> columns = {"latency_ms", "model", "ci_low_ms", "ci_high_ms"};
  Tables wide;
  wide.add("A1", columns, {{10.0, text("Net"), 7.9, 12.1}});
  const Finding* finding = wide.find("uncertain-latency");
  REQUIRE(finding != nullptr);
  CHECK(contains(finding->text, "known to ± 21 % only: between 7.900 ms and 12.10 ms (95 %)"));
  CHECK(finding->weight == 1);
  Tables narrow;
  narrow.add("A1", columns, {{10.0, text("Net"), 8.1, 11.9}});
  CHECK(narrow.find("uncertain-latency") == nullptr);
}

TEST_CASE("at most five are told, and doubts leave places for the others") {
  Tables all;
  all.add("A1", {"latency_ms", "model", "ci_low_ms", "ci_high_ms"}, {{10.0, text("Net"), 1.0, 19.0}});
  all.add("Q1", kQuality,
          {quality("spans", 100), quality("ambiguous", 50), quality("divergence", 2), quality("dropped", 9),
           quality("failed_evaluations", 3, "model"), quality("processes_killed", 1)});
  all.add("A6", kTypes, {{text("Conv"), count(3), 9.0, 90.0}, {text("ReLU"), count(9), 1.0, 10.0}});
  add_step({{"step_ms", 10},
            {"idle_host_ms", 4},
            {"kernel_count", 10},
            {"kernel_latency_ms", 6},
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
  Tables none;
  CHECK(none.found().empty());
  Tables empty;
  for (const auto& analysis : analyses()) empty.add(std::string(analysis.id), {}, {});
  CHECK(empty.found().empty());
  Tables nulls;
  for (const auto& analysis : analyses()) {
    nulls.add(std::string(analysis.id), {"latency_ms", "type", "quantity", "count"},
              {{Cell(), Cell(), Cell(), Cell()}});
  }
  CHECK(nulls.found().empty());
}

TEST_CASE("names of megabytes and with control characters stay short and harmless in a sentence") {
  Tables hostile;
  const std::string name = "\x1b[31m" + std::string(1'000'000, 'x');
  hostile.add("A6", kTypes, {{text(name), count(3), 9.0, 90.0}, {text("ReLU"), count(9), 1.0, 10.0}});
  const Finding* finding = hostile.find("bottleneck-layer-type");
  REQUIRE(finding != nullptr);
  CHECK(finding->text.size() < 200);
  CHECK_FALSE(contains(finding->text, "\x1b"));
  CHECK(finding->key == name);
}

TEST_CASE("a real trace: shares of the tables, and totals of a trace without a model are called so") {
  test::Analysed analysed({one_model()});
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
  CHECK(contains(told[0].text, "totals over 1 layer span of the whole trace"));
}

const std::vector<std::string> kDiagnoses = {"diagnosis", "found", "value", "unit", "evidence", "advice"};

TEST_CASE("what D4 found is among the findings, with its evidence, and what it did not find is not") {
  Tables tables;
  tables.add(
      "D4", kDiagnoses,
      {{text("graph_growth"), true, 55.0, text("%"), text("the host time grows"), text("look for a list")},
       {text("host_bound"), false, 30.0, text("%"), text("explained by graph_growth"), Cell()},
       {text("drift"), Cell(), Cell(), text("%"), text("not checked: 3 iterations, at least 8 are needed"), Cell()}});
  const Finding* finding = tables.find("graph-growth");
  REQUIRE(finding != nullptr);
  CHECK(finding->text == "the host time grows");
  CHECK(finding->advice == "look for a list");
  CHECK(finding->table == "D4");
  CHECK(finding->key == "graph_growth");
  CHECK(finding->weight == Approx(0.55));
  CHECK(tables.find("host-bound") == nullptr);
  CHECK(tables.find("iteration-drift") == nullptr);
}

TEST_CASE("a diagnosis of several loops is told once") {
  Tables tables;
  tables.add("D4", kDiagnoses,
             {{text("copy_bound"), true, 40.0, text("%"), text("first"), text("copy less")},
              {text("copy_bound"), true, 60.0, text("%"), text("second"), text("copy less")}});
  CHECK(tables.found().size() == 1);
  CHECK(contains(tables.find("copy-bound")->text, "first"));
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
