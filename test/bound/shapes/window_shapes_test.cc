#include "bound/shapes/sliding_window.h"
#include "test/bound/shapes/small_graph.h"

namespace xsp::bound {
namespace {

std::string pooled(int64_t size, std::vector<Attribute> attributes) {
  SmallGraph graph;
  graph.input("x", {1, 1, size}).node("MaxPool", {"x"}, {"y"}, std::move(attributes));
  return graph.text("y");
}

std::string convolved(const std::vector<int64_t>& input, const std::vector<int64_t>& weights,
                      std::vector<Attribute> attributes, const std::string& type = "Conv") {
  SmallGraph graph;
  graph.input("x", input).weight("w", weights).node(type, {"x", "w"}, {"y"}, std::move(attributes));
  return graph.text("y");
}

}  // namespace

TEST_CASE("convolution follows strides, pads, dilations and groups") {
  CHECK(convolved({1, 3, 224, 224}, {64, 3, 7, 7},
                  {list_attribute("strides", {2, 2}), list_attribute("pads", {3, 3, 3, 3})}) == "f32[1,64,112,112]");
  CHECK(convolved({2, 4, 9}, {8, 2, 3}, {list_attribute("dilations", {2}), integer_attribute("group", 2)}) ==
        "f32[2,8,5]");
  CHECK(convolved({1, 3, 224, 224}, {64, 3, 7, 7},
                  {list_attribute("strides", {2, 2}), text_attribute("auto_pad", "SAME_UPPER")}) ==
        "f32[1,64,112,112]");
  CHECK(convolved({1, 1, 7, 7}, {1, 1, 3, 3},
                  {text_attribute("auto_pad", "VALID"), list_attribute("pads", {1, 1, 1, 1})}) == "f32[1,1,5,5]");
}

TEST_CASE("weights that do not fit the channels are an error") {
  SmallGraph graph;
  graph.input("x", {1, 3, 8, 8}).weight("w", {4, 4, 3, 3}).node("Conv", {"x", "w"}, {"y"});
  CHECK(graph.error() == "node the_Conv (Conv): weights [4,4,3,3] in 1 groups on an input [1,3,8,8]");
  graph.model.graph.initializers[0].dimensions = {4, 3, 9, 9};
  CHECK(graph.error().find("a window of 9 on 8") != std::string::npos);
}

// Sizes that ONNX Runtime 1.32 gives.
TEST_CASE("ceil_mode adds a window only where it begins inside the image") {
  const auto ceil = [](int64_t kernel, int64_t stride, Values pads) {
    return std::vector<Attribute>{list_attribute("kernel_shape", {kernel}), list_attribute("strides", {stride}),
                                  list_attribute("pads", std::move(pads)), integer_attribute("ceil_mode", 1)};
  };
  CHECK(pooled(6, ceil(3, 2, {0, 0})) == "f32[1,1,3]");
  CHECK(pooled(6, ceil(2, 3, {0, 1})) == "f32[1,1,2]");
  CHECK(pooled(5, ceil(2, 3, {1, 1})) == "f32[1,1,2]");
  CHECK(pooled(4, ceil(2, 4, {1, 1})) == "f32[1,1,2]");
}

TEST_CASE("pads of a sliding window reproduce its output when rounded down") {
  for (const bool rounds_up : {false, true})
    for (int64_t size = 3; size < 16; ++size)
      for (int64_t stride = 1; stride < 5; ++stride)
        for (const Values& pads : {Values{0, 0}, Values{1, 0}, Values{0, 1}, Values{1, 1}}) {
          const Node node =
              make_node("MaxPool", {"x"}, {"y"},
                        {list_attribute("kernel_shape", {3}), list_attribute("strides", {stride}),
                         list_attribute("pads", pads), integer_attribute("ceil_mode", rounds_up ? 1 : 0)});
          SlidingWindow window;
          REQUIRE(slide(node, {size}, {}, &window).is_known());
          INFO(size << " " << stride << " " << pads[0] << pads[1] << rounds_up);
          CHECK((size + window.pads[0] + window.pads[1] - 3) / stride + 1 == window.output[0]);
          CHECK(window.pads[0] == pads[0]);
        }
}

TEST_CASE("SAME_LOWER puts the odd pad in front") {
  SlidingWindow window;
  REQUIRE(slide(make_node("Conv", {}, {}, {text_attribute("auto_pad", "SAME_LOWER")}), {5}, {2}, &window).is_known());
  CHECK(window.pads == Values{1, 0});
  SlidingWindow upper;
  REQUIRE(slide(make_node("Conv", {}, {}, {text_attribute("auto_pad", "SAME_UPPER")}), {5}, {2}, &upper).is_known());
  CHECK(upper.pads == Values{0, 1});
}

TEST_CASE("transposed convolution follows output_padding, output_shape and groups") {
  CHECK(convolved(
            {1, 4, 5, 6}, {4, 2, 3, 3},
            {list_attribute("strides", {2, 3}), list_attribute("output_padding", {1, 2}),
             list_attribute("dilations", {2, 1}), list_attribute("pads", {1, 1, 0, 2}), integer_attribute("group", 2)},
            "ConvTranspose") == "f32[1,4,13,17]");
  CHECK(convolved({1, 4, 5, 6}, {4, 2, 3, 3},
                  {list_attribute("strides", {2, 2}), list_attribute("output_shape", {10, 12})},
                  "ConvTranspose") == "f32[1,2,10,12]");
  CHECK(convolved({1, 4, 5, 6}, {4, 2, 3, 3},
                  {list_attribute("strides", {2, 2}), text_attribute("auto_pad", "SAME_UPPER")},
                  "ConvTranspose") == "f32[1,2,10,12]");
}

TEST_CASE("sizes of windows near overflow are errors") {
  const int64_t huge = std::numeric_limits<int64_t>::max();
  for (const char* name : {"strides", "dilations", "pads", "kernel_shape"}) {
    SmallGraph graph;
    const Values values = std::string(name) == "pads" ? Values{huge, huge} : Values{huge};
    graph.input("x", {1, 1, 8}).weight("w", {1, 1, 3}).node("Conv", {"x", "w"}, {"y"}, {list_attribute(name, values)});
    CHECK_FALSE(graph.error().empty());
  }
}

}  // namespace xsp::bound
