#include "analysis/study/convolution_parts.h"

#include "test/analysis/support/live_trace.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using Parts = std::vector<double>;

Parts parts_of(const Analysed& analysed) { return convolution_parts(*analysed.study, analysed.study->joined); }

TEST_CASE("a module is as much a convolution as its operators are, whatever its class is called") {
  LiveTrace trace;
  trace.begin_model("Net");
  trace.module("h.0.c_fc", "Conv1D", "aten::addmm");
  trace.module("stem", "StdConv2dSame", "aten::conv2d");
  trace.module("body", "PatchEmbedding", "aten::conv2d");
  trace.begin(KIND_TORCH_MODULE, "fused", "Block", LEVEL_LAYER);
  trace.op("aten::relu");
  trace.begin(KIND_OPERATOR, "aten::conv_transpose2d");
  trace.op("aten::addmm");
  trace.op("aten::copy_");
  trace.end();
  trace.end();
  trace.begin(KIND_TORCH_MODULE, "rnn", "LSTM", LEVEL_LAYER);
  trace.op("aten::lstm");
  trace.op("aten::lstm");
  trace.op("aten::conv1d");
  trace.end();
  trace.end();
  const Analysed analysed({trace.bytes()});
  CHECK(parts_of(analysed) == Parts{0, 1, 1, 5.0 / 6, 1.0 / 3});
}

TEST_CASE("library calls say it where no operators are recorded, and classes of torch.nn where nothing is") {
  LiveTrace trace;
  trace.begin_model("Net");
  const auto module = [&](const char* type, const char* library, const char* function) {
    trace.begin(KIND_TORCH_MODULE, type, type, LEVEL_LAYER);
    if (function != nullptr) trace.leaf(KIND_LIBRARY_CALL, function, library, LEVEL_LIBRARY);
    trace.end();
  };
  module("Conv1D", "blas", "sgemm_");
  module("Mixer", "onednn", "convolution");
  module("Conv2d", "", nullptr);
  // Of a plan that was not recorded nobody knows what it does.
  module("Conv3d", "cudnn", "cudnnBackendExecute");
  module("Conv1D", "", nullptr);
  module("ConvertLayout", "", nullptr);
  trace.end();
  const Analysed analysed({trace.bytes()});
  CHECK(parts_of(analysed) == Parts{0, 1, 1, 1, 0, 0});
}

TEST_CASE("nodes of ONNX Runtime are their operators, and operators that are layers are themselves") {
  LiveTrace trace;
  trace.begin(KIND_ORT_RUN, "m.onnx", "", LEVEL_MODEL);
  for (const char* type : {"Conv", "NhwcFusedConv", "ConvertLayout", "MatMul"}) {
    trace.leaf(KIND_ORT_NODE, std::string("/conv1/") + type, type, LEVEL_LAYER);
  }
  trace.end();
  const Analysed nodes({trace.bytes()});
  CHECK(parts_of(nodes) == Parts{1, 1, 0, 0});
  LiveTrace functional;
  functional.begin_model("Net");
  functional.module("fc", "Linear", "aten::linear");
  functional.op("aten::conv2d");
  functional.op("aten::_convert_weight_to_int4pack");
  functional.end();
  const Analysed operators({functional.bytes()});
  CHECK(parts_of(operators) == Parts{0, 1, 0});
}

/// 86 % of convolutions were said of GPT-2.
TEST_CASE("M1 has the share of convolutions by what layers do") {
  LiveTrace trace;
  for (int i = 0; i < 2; ++i) {
    trace.begin_model("GPT2");
    trace.module("c_attn", "Conv1D", "aten::addmm");
    trace.module("c_proj", "Conv1D", "aten::addmm");
    trace.module("patches", "Embeddings", "aten::conv2d");
    trace.module("rows", "ConvertLayout", "aten::permute");
    trace.end();
  }
  const Analysed analysed({trace.bytes()});
  const auto m1 = analysed.table("M1");
  REQUIRE(m1.rows.size() == 1);
  for (size_t i = 0; i < m1.columns.size(); ++i) {
    if (m1.columns[i].name == "convolution_pct") CHECK(number(m1.rows[0][i]) == 25);
  }
}

}  // namespace
}  // namespace xsp::test
