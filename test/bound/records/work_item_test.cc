#include "bound/records/work_item.h"

#include "bound/records/base64.h"
#include "test/catch.h"

namespace xsp::bound {

TEST_CASE("base64 is that of RFC 4648") {
  // Its section 10.
  const std::pair<std::string, std::string> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    CHECK(base64(bytes) == text);
    CHECK(bytes_of_base64(text) == bytes);
  }
  for (const char* wrong : {"Zg=", "Zg", "Zh==", "Zm9=", "Z===", "====", "Zm 9", "Zg==Zg==", "Zm9v\n"}) {
    INFO(wrong);
    CHECK_FALSE(bytes_of_base64(wrong));
  }
}

TEST_CASE("a work item survives its line") {
  WorkItem item{
      .problem = "conv src=1x3x8x8 dtype=f32", .flops = 1.5e9, .bytes = 12345, .of = "ResNet50: Conv, 4 layers"};
  for (int byte = 0; byte < 256; ++byte) item.model += static_cast<char>(byte);
  const std::string line = json_line(item);
  CHECK(line.find('\n') == std::string::npos);
  WorkItem read;
  REQUIRE(parse_work_item(line, &read).ok());
  CHECK(read.problem == item.problem);
  CHECK(read.model == item.model);
  CHECK(read.flops == item.flops);
  CHECK(read.bytes == item.bytes);
  CHECK(read.of == item.of);
}

TEST_CASE("text that is no UTF-8 does not keep an item from being written") {
  WorkItem read;
  REQUIRE(parse_work_item(json_line({.problem = "Gather x=\xff"}), &read).ok());
  CHECK(read.problem.starts_with("Gather x="));
}

TEST_CASE("a line that is no work item is refused with what is wrong") {
  const std::pair<std::string, std::string> lines[] = {
      {"", "no JSON object"},
      {"[1]", "no JSON object"},
      {"{\"problem\": \"x\"", "no JSON object"},
      {"{}", "\"problem\" is missing or no text"},
      {R"({"problem": 1})", "\"problem\" is missing or no text"},
      {R"({"problem": ""})", "\"problem\" is missing or no text"},
      {R"({"problem": "x", "model": "?"})", "\"model\" is not base64"},
      {R"({"problem": "x", "model": {}})", "\"model\" is no text"},
      {R"({"problem": "x", "flops": -1})", "\"flops\" is no amount"},
      {R"({"problem": "x", "bytes": "9"})", "\"bytes\" is no amount"},
      {R"({"problem": "x", "of": null})", "\"of\" is no text"},
  };
  for (const auto& [line, error] : lines) {
    INFO(line);
    WorkItem item{.problem = "untouched"};
    CHECK(parse_work_item(line, &item).error == error);
    CHECK(item.problem == "untouched");
  }
}

}  // namespace xsp::bound
