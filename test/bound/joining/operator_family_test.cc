#include "bound/joining/operator_family.h"

#include "bound/joining/tensor_shapes.h"
#include "test/catch.h"

namespace xsp::bound {

TEST_CASE("frameworks, runtimes and libraries call an operator differently") {
  for (const char* type : {"Conv", "Conv2d", "aten::conv2d", "aten::_convolution", "Conv2D", "_FusedConv2D",
                           "_MklNativeFusedConv2D", "Convolution", "cudnnConvolutionForward", "QLinearConv",
                           "com.microsoft.FusedConv", "convolution.5", "mkldnn_convolution"})
    CHECK(family_of(type).name == "conv");
  for (const char* type : {"MatMul", "Gemm", "Linear", "aten::addmm", "aten::linear", "Dense", "FullyConnected",
                           "cublasSgemmStridedBatched", "cublasGemmEx", "cublasLtMatmul", "sgemm_", "cblas_sgemm",
                           "NonDynamicallyQuantizableLinear", "FusedGemm", "aten::bmm", "dot.3"})
    CHECK(family_of(type).name == "matmul");
  CHECK(family_of("FusedBatchNormV3").name == family_of("BatchNorm2d").name);
  CHECK(family_of("BatchNormalization").name == family_of("aten::native_batch_norm").name);
  CHECK(family_of("AddV2").name == family_of("aten::add_").name);
  CHECK(family_of("AdaptiveAvgPool2d").name == family_of("GlobalAveragePool").name);
  CHECK(family_of("SkipLayerNormalization").name == family_of("LayerNorm").name);
  CHECK(family_of("MaxPool2d").name != family_of("AvgPool2d").name);
  CHECK(family_of("ReLU6").name == family_of("Clip").name);
  CHECK(family_of("aten::sum").name == family_of("ReduceSum").name);
}

TEST_CASE("some types tell no more than a general family") {
  CHECK(family_of("cudnnPoolingForward").is_general);
  CHECK(family_of("cudnnPoolingForward").name == family_of("MaxPool").general);
  CHECK_FALSE(family_of("MaxPool").is_general);
  CHECK(family_of("Activation").name == family_of("Relu").general);
}

TEST_CASE("what no table has is a family of its own, and what no model has is none") {
  CHECK(family_of("MyBlock").name == "myblock");
  CHECK(family_of("").name.empty());
  CHECK(family_of("ReorderOutput").name.empty());
  CHECK(family_of("cudnnAddTensor").name.empty());
}

TEST_CASE("shapes are the same in other layouts, folded and in blocks") {
  CHECK(may_be_one_tensor({1, 56, 56, 64}, {1, 64, 56, 56}, false));
  CHECK(may_be_one_tensor({256, 768}, {2, 128, 768}, false));
  CHECK(may_be_one_tensor({256, 768}, {768, 256}, false));  // it may be transposed
  CHECK_FALSE(may_be_one_tensor({1, 64, 56, 56}, {2, 64, 56, 56}, false));
  CHECK_FALSE(may_be_one_tensor({1, 16, 1, 1}, {1, 6, 1, 1}, false));
  CHECK(may_be_one_tensor({1, 16, 1, 1}, {1, 6, 1, 1}, true));
  CHECK(may_be_one_tensor({1, 32, 56, 56}, {1, 24, 56, 56}, true));
  CHECK_FALSE(may_be_one_tensor({1, 48, 56, 56}, {1, 24, 56, 56}, true));
  CHECK(shapes_in("f32[1,3];(?[2,4],i64[])") == std::vector<std::vector<int64_t>>{{1, 3}, {2, 4}, {}});
  CHECK(shapes_in("[N,3];[1,").size() == 1);
  CHECK(shapes_in("[N,3]").front() == std::vector<int64_t>{-1, 3});
  CHECK(differ_in_batch({8, 3, 4}, {1, 3, 4}));
  CHECK_FALSE(differ_in_batch({8, 3, 4}, {1, 3, 5}));
  CHECK_FALSE(differ_in_batch({}, {}));
}

}  // namespace xsp::bound
