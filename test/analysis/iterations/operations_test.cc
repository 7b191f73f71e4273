#include "analysis/iterations/operations.h"

#include <string>
#include <vector>

#include "analysis/iterations/busiest_process.h"
#include "analysis/iterations/execution_order.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::Operations;
using analysis::OperationSource;
using analysis::SymbolChoice;
using analysis::SymbolRole;

ExecutionSpec kernel(int64_t begin, const std::string& name, uint32_t stream = 7, const std::string& grid = "[1,1,1]") {
  return {.begin = begin,
          .end = begin + 5,
          .name = name,
          .stream = stream,
          .configuration = "grid=" + grid + " block=[" + std::to_string(begin + 1) + ",1,1]"};
}

ExecutionSpec copy(int64_t begin, const std::string& direction, uint64_t bytes) {
  return {.begin = begin, .end = begin + 2, .name = direction, .kind = KIND_MEMCPY, .stream = 14, .bytes = bytes};
}

std::vector<std::string> texts(const Analysed& analysed, const Operations& operations) {
  std::vector<std::string> texts;
  for (const auto symbol : operations.symbols) {
    texts.push_back(symbol_text(analysed.trace, operations.alphabet[symbol]));
  }
  return texts;
}

Operations operations_of(const Analysed& analysed, uint32_t process = 1,
                         SymbolChoice choice = SymbolChoice::kNameAndGrid) {
  return analysis::operations_of(analysed.trace, analysed.evaluations, process, choice);
}

TEST_CASE("operations of all streams stand in order of begin, whatever the order of recording") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add_executions({kernel(10, "a", 7), kernel(30, "c", 7), kernel(50, "e", 7), kernel(20, "b", 8),
                          kernel(40, "d", 8), kernel(45, "f", 9), kernel(5, "g", 9)});
  const Analysed analysed({builder.bytes()});
  const Operations operations = operations_of(analysed);
  CHECK(operations.source == OperationSource::kDevice);
  CHECK(texts(analysed, operations) == std::vector<std::string>{"g", "a", "b", "c", "d", "f", "e"});
  REQUIRE(operations.size() == 7);
  for (size_t i = 1; i < operations.size(); ++i) {
    CHECK(analysed.trace.spans.begin[operations.row(i - 1)] < analysed.trace.spans.begin[operations.row(i)]);
    CHECK(analysed.trace.executions.row[operations.execution(i)] == operations.row(i));
  }
}

TEST_CASE("operations with one begin stand in order of end, then of recording") {
  TraceBuilder builder;
  builder.add_process(10);
  ExecutionSpec longer = kernel(10, "longer", 7);
  longer.end = 40;
  builder.add_executions({longer, kernel(10, "shorter", 8), kernel(10, "last", 9)});
  const Analysed analysed({builder.bytes()});
  CHECK(texts(analysed, operations_of(analysed)) == std::vector<std::string>{"shorter", "last", "longer"});
}

TEST_CASE("executions that stand in order take no list") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add_executions({kernel(10, "a", 7), kernel(20, "b", 8), kernel(30, "c", 7)});
  const Analysed analysed({builder.bytes()});
  const Operations operations = operations_of(analysed);
  CHECK(operations.executions.empty());
  CHECK(operations.execution(2) == 2);
  CHECK(texts(analysed, operations) == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("waits and other processes are no operations of a process") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add_process(11);
  ExecutionSpec wait = kernel(15, "stream");
  wait.kind = KIND_SYNCHRONIZATION;
  ExecutionSpec other = kernel(12, "theirs");
  other.process = 2;
  builder.add_executions({kernel(10, "a"), wait, kernel(20, "b")});
  builder.add_executions({other});
  const Analysed analysed({builder.bytes()});
  CHECK(texts(analysed, operations_of(analysed)) == std::vector<std::string>{"a", "b"});
  CHECK(texts(analysed, operations_of(analysed, 2)) == std::vector<std::string>{"theirs"});
}

TEST_CASE("kernels are the same symbol by name and grid, copies by their kind") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add_executions({kernel(10, "a", 7, "[1,1,1]"), kernel(20, "a", 7, "[2,1,1]"), kernel(30, "a", 7, "[1,1,1]"),
                          copy(40, "HtoD", 100), copy(50, "HtoD", 200), copy(60, "DtoH", 100)});
  const Analysed analysed({builder.bytes()});
  CHECK(operations_of(analysed).symbols == std::vector<analysis::Symbol>{0, 1, 0, 2, 2, 3});
  CHECK(operations_of(analysed, 1, SymbolChoice::kName).symbols == std::vector<analysis::Symbol>{0, 0, 0, 1, 1, 2});
  const Operations operations = operations_of(analysed);
  CHECK(operations.roles ==
        std::vector<SymbolRole>{SymbolRole::kWork, SymbolRole::kWork, SymbolRole::kToDevice, SymbolRole::kToHost});
  CHECK(texts(analysed, operations)[3] == "copy to device");
}

TEST_CASE("without a device the layers of the busiest thread are the operations") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add({.begin = 0, .end = 10, .name = "conv", .type = "Conv", .thread = 100});
  builder.add({.begin = 20, .end = 90, .name = "fc", .type = "Linear", .thread = 101, .ring = 1});
  builder.add({.begin = 95, .end = 99, .name = "relu", .type = "ReLU", .thread = 101, .ring = 1});
  const Analysed analysed({builder.bytes()});
  const Operations operations = operations_of(analysed);
  CHECK(operations.source == OperationSource::kLayer);
  CHECK(texts(analysed, operations) == std::vector<std::string>{"fc", "relu"});
}

TEST_CASE("without layers the outermost library calls are") {
  TraceBuilder builder;
  builder.add_process(10);
  const auto call = [&](int64_t begin, int64_t end, const std::string& name) {
    builder.add({.begin = begin, .end = end, .level = LEVEL_LIBRARY, .kind = KIND_LIBRARY_CALL, .name = name});
  };
  call(1, 9, "inner");
  call(0, 10, "outer");
  call(20, 30, "gemm");
  const Analysed analysed({builder.bytes()});
  const Operations operations = operations_of(analysed);
  CHECK(operations.source == OperationSource::kLibrary);
  CHECK(texts(analysed, operations) == std::vector<std::string>{"outer", "gemm"});
}

TEST_CASE("a process without any of these has no operations") {
  TraceBuilder builder;
  builder.add_process(10);
  const Analysed analysed({builder.bytes()});
  CHECK(operations_of(analysed).source == OperationSource::kNone);
  CHECK_FALSE(analysis::busiest_process(analysed.trace, analysed.evaluations, {1}));
}

TEST_CASE("the busiest process is that of the longest union, not of the longest sum") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add_process(11);
  // 5 ns three times at once against 10 ns.
  builder.add_executions({kernel(10, "a", 7), kernel(10, "a", 8), kernel(10, "a", 9)});
  ExecutionSpec one = kernel(10, "b");
  one.end = 20;
  one.process = 2;
  builder.add_executions({one});
  const Analysed analysed({builder.bytes()});
  CHECK(analysis::busiest_process(analysed.trace, analysed.evaluations, {1, 2}) == 2);
  CHECK(analysis::busiest_process(analysed.trace, analysed.evaluations, {1}) == 1);
}

TEST_CASE("kinds of copies have their direction") {
  CHECK(analysis::copy_role("HtoD") == SymbolRole::kToDevice);
  CHECK(analysis::copy_role("HtoA") == SymbolRole::kToDevice);
  CHECK(analysis::copy_role("unified DtoH") == SymbolRole::kToHost);
  CHECK(analysis::copy_role("HtoD (Pinned -> Device)") == SymbolRole::kToDevice);
  CHECK(analysis::copy_role("DtoH (Device -> Pageable)") == SymbolRole::kToHost);
  CHECK(analysis::copy_role("DtoD") == SymbolRole::kMovement);
  CHECK(analysis::copy_role("") == SymbolRole::kMovement);
}

TEST_CASE("optimizers are known by their names") {
  for (const char* name : {"_ZN2at6native12_GLOBAL__N_125multi_tensor_apply_kernelINS1_18TensorListMetadataILi4EEE",
                           "Optimizer.step#SGD.step", "void adam_update<float>(int)", "FusedAdamMathFunctor",
                           "tensorflow::functor::ApplyAdamKernel<float>", "LAMBStage1Functor", "sgd_mom_update_kernel",
                           "AdamW", "void SGDUpdate<float>"}) {
    INFO(name);
    CHECK(analysis::is_optimizer_name(name));
  }
  for (const char* name : {"", "ampere_sgemm_128x64_nn", "void cudnn::bn_bw_1C11_singleread", "lambda_kernel", "madamp",
                           "void elementwise_kernel<4, lambda(float)>", "RelAdamantKernel"}) {
    INFO(name);
    CHECK_FALSE(analysis::is_optimizer_name(name));
  }
}

}  // namespace
}  // namespace xsp::test
