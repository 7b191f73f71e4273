#include "analysis/timeline/operator_labels.h"

#include "test/catch.h"

namespace xsp::analysis {
namespace {

TEST_CASE("a convolution is told by its channels, kernel and image") {
  CHECK(operator_label("aten::conv2d", "[32,64,56,56];[256,64,1,1]") == "conv2d 64→256 1×1 /56²");
  CHECK(operator_label("aten::conv2d", "[32,3,224,192];[64,3,7,7];[64]") == "conv2d 3→64 7×7 /224×192");
  CHECK(operator_label("aten::conv1d", "[8,80,3000];[384,80,3]") == "conv1d 80→384 3 /3000");
  CHECK(operator_label("aten::conv3d", "[1,3,16,16,16];[8,3,3,3,3]") == "conv3d 3→8 3×3×3 /16³");
  CHECK(operator_label("aten::cudnn_convolution", "[1,128,28,28];[128,1,3,3]") ==
        "cudnn_convolution 128→128 3×3 grouped /28²");
  CHECK(operator_label("aten::conv_transpose2d", "[1,64,28,28];[64,32,2,2]") == "conv_transpose2d 64→32 2×2 /28²");
  // Without a batch.
  CHECK(operator_label("aten::conv2d", "[3,8,8];[4,3,1,1]") == "conv2d 3→4 1×1 /8²");
}

TEST_CASE("a product is told by its factors, without what is added") {
  CHECK(operator_label("aten::mm", "[788,768];[768,3072]") == "mm 788×768·768×3072");
  CHECK(operator_label("aten::addmm", "[768];[788,768];[768,768]") == "addmm 788×768·768×768");
  CHECK(operator_label("aten::bmm", "[48,197,64];[48,64,197]") == "bmm 48×197×64·48×64×197");
  CHECK(operator_label("aten::linear", "[4,197,768];[3072,768];[3072]") == "linear 768→3072 /4×197");
  CHECK(operator_label("aten::linear", "[768];[10,768]") == "linear 768→10");
}

TEST_CASE("any other operator is told by each of its shapes once, but for vectors behind the first") {
  CHECK(operator_label("aten::add", "[32,256,56,56];[32,256,56,56]") == "add 32×256×56×56");
  CHECK(operator_label("aten::embedding", "[30522,768];[4,128]") == "embedding 30522×768, 4×128");
  CHECK(operator_label("aten::layer_norm", "[4,197,768];[768];[768]") == "layer_norm 4×197×768");
  CHECK(operator_label("aten::relu", "[64]") == "relu 64");
  CHECK(operator_label("aten::cat", "([4,1,768],[4,196,768])") == "cat 4×1×768, 4×196×768");
  CHECK(operator_label("aten::cat", "([1,2],[2,2],[3,2],[4,2],… 3 more)") == "cat 1×2, 2×2, …");
  CHECK(operator_label("torchvision::nms", "[1000,4];[1000]") == "torchvision::nms 1000×4");
}

TEST_CASE("shapes that do not fit the operator are told as those of any other, and none as nothing") {
  CHECK(operator_label("aten::conv2d", "[32,64,56,56]") == "conv2d 32×64×56×56");
  CHECK(operator_label("aten::conv2d", "[32,64];[256,64,1,1]") == "conv2d 32×64, 256×64×1×1");
  CHECK(operator_label("aten::linear", "[4,5];[3,7]") == "linear 4×5, 3×7");
  CHECK(operator_label("aten::addmm", "[768];[788,768]") == "addmm 768, 788×768");
  CHECK(operator_label("aten::mm", "") == "");
  CHECK(operator_label("aten::mm", "[];[]") == "");
  CHECK(operator_label("aten::mm", "[12,") == "");
}

}  // namespace
}  // namespace xsp::analysis
