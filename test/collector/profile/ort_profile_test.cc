#include "collector/profile/ort_profile.h"

#include <algorithm>

#include <sys/mman.h>
#include <unistd.h>

#include "test/catch.h"
#include "test/collector/fake_guest.h"
#include "test/collector/memory_file.h"

namespace xsp::test {
namespace {

/// As ONNX Runtime 1.31 wrote it, and one node as 1.7 did, with its fences.
constexpr const char* kProfile = R"([
{"cat" : "Session","pid" :1,"tid" :9,"dur" :303,"ts" :6,"ph" : "X","name" :"model_loading_array","args" : {}},
{"cat" : "Node","pid" :1,"tid" :9,"dur" :119,"ts" :2931,"ph" : "X","name" :"conv1_kernel_time","args" : {"output_size" : "8192","thread_scheduling_stats" : {"main_thread": {"thread_pool_name": "session-1-intra-op", "block_size": [], "core": -1}, "sub_threads": {"139": {"num_run": 0, "core": -1}}},"op_name" : "Conv","node_index" : "0","input_type_shape" : [{"float":[1,3,16,16]},{"float":[8,3,3,3]}],"output_type_shape" : [{"float":[1,8,16,16]}],"provider" : "CPUExecutionProvider"}},
{"cat" : "Node","pid" :1,"tid" :9,"dur" :0,"ts" :3052,"ph" : "X","name" :"split_fence_before","args" : {"op_name" : "Split"}},
{"cat" : "Node","pid" :1,"tid" :9,"dur" :10,"ts" :3055,"ph" : "X","name" :"split\"_kernel_time","args" : {"op_name" : "Split","output_type_shape" : [{"float":[1,4]},{"int64":[]}],"output_size" : 32}},
{"cat" : "Node","pid" :1,"tid" :10,"dur" :7,"ts" :3057,"ph" : "X","name" :"old_kernel_time","args" : {"op_name" : "Relu","graph_index" : "3","exec_plan_index" : "4"}},
{"cat" : "Session","pid" :1,"tid" :9,"dur" :200,"ts" :2917,"ph" : "X","name" :"model_run","args" : {}}
]
)";

struct Converted {
  OrtProfile::Result result;
  std::vector<ReadSpan> spans;
};

Converted convert(const std::string& json) {
  const int fd = ::memfd_create("profile", MFD_CLOEXEC);
  REQUIRE(::write(fd, json.data(), json.size()) == static_cast<ssize_t>(json.size()));
  REQUIRE(::lseek(fd, 0, SEEK_SET) == 0);
  MemoryFile file;
  TraceWriter writer(file);
  Recording recording(writer);
  ProfileSpans spans(recording, 5);
  OrtProfile profile(
      fd, {.start_realtime_ns = 1'000'000'000'500, .realtime_offset_ns = 1'000'000'000'000, .scope = "s1"}, spans);
  Converted converted;
  do {
    converted.result = profile.convert(2);
  } while (converted.result == OrtProfile::Result::kMore);
  spans.end_file();
  writer.flush();
  converted.spans = read_spans(parse_trace(file.bytes));
  CHECK(converted.spans.size() == spans.count());
  return converted;
}

TEST_CASE("nodes of an ONNX Runtime profile become layers") {
  const auto converted = convert(kProfile);
  CHECK(converted.result == OrtProfile::Result::kWhole);
  REQUIRE(converted.spans.size() == 3);
  const ReadSpan& conv = converted.spans[0];
  CHECK(conv.name == "conv1");
  CHECK(conv.type == "Conv");
  CHECK(conv.shape == "[1,8,16,16]");
  CHECK(conv.scope == "s1");
  CHECK(conv.begin == 500 + 2'931'000);
  CHECK(conv.end == conv.begin + 119'000);
  CHECK(conv.bytes == 8192);
  CHECK(conv.has_bytes);
  CHECK(conv.level == LEVEL_LAYER);
  CHECK(conv.kind == KIND_ORT_NODE);
  CHECK(conv.thread == 9);
  CHECK(conv.ring == 0x10000);
  CHECK(conv.process == 5);
  CHECK(converted.spans[1].name == "split\"");
  CHECK(converted.spans[1].shape == "[1,4];[]");
  CHECK(converted.spans[1].bytes == 32);
  CHECK(converted.spans[2].name == "old");
  CHECK(converted.spans[2].thread == 10);
  CHECK(converted.spans[2].ring == 0x10001);
  CHECK_FALSE(converted.spans[2].has_bytes);
}

TEST_CASE("a profile that is cut off at any byte keeps the nodes before the cut") {
  const std::string json = kProfile;
  const size_t end = json.rfind(']');
  for (size_t size = 0; size <= json.size(); ++size) {
    const auto converted = convert(json.substr(0, size));
    REQUIRE(converted.result == (size > end ? OrtProfile::Result::kWhole : OrtProfile::Result::kTruncated));
    size_t whole = 0;
    for (size_t at = json.find('\n'); at != std::string::npos; at = json.find('\n', at + 1)) {
      const std::string line = json.substr(0, at).substr(json.rfind('\n', at - 1) + 1);
      const size_t close = line.rfind('}');
      if (close == std::string::npos || line.find("_kernel_time") == std::string::npos) continue;
      whole += json.rfind('\n', at - 1) + 1 + close < size ? 1 : 0;
    }
    REQUIRE(converted.spans.size() == whole);
  }
}

TEST_CASE("what is no profile is refused") {
  for (const std::string json : {"{}", "x", "[1]", "[{]", "[{\"a\":}]", "[{}}"}) {
    INFO(json);
    const auto converted = convert(json);
    CHECK(converted.result != OrtProfile::Result::kWhole);
    CHECK(converted.spans.empty());
  }
}

TEST_CASE("nodes before a broken event are kept") {
  std::string json = kProfile;
  json.insert(json.find("{\"cat\" : \"Node\",\"pid\" :1,\"tid\" :10"), "{\"cat\" : nonsense},\n");
  const auto converted = convert(json);
  CHECK(converted.result == OrtProfile::Result::kMalformed);
  CHECK(converted.spans.size() == 2);
}

TEST_CASE("an object without end is given up at a megabyte, also where an escape lies on it") {
  for (const size_t before : {size_t{1048560}, size_t{1048561}}) {
    std::string json = "[{\"name\":\"" + std::string(before, 'a');
    while (json.size() < 3'000'000) json += "\\\\";
    const size_t all = json.size();
    const int fd = ::memfd_create("profile", MFD_CLOEXEC);
    REQUIRE(::write(fd, json.data(), all) == static_cast<ssize_t>(all));
    REQUIRE(::lseek(fd, 0, SEEK_SET) == 0);
    MemoryFile file;
    TraceWriter writer(file);
    Recording recording(writer);
    ProfileSpans spans(recording, 5);
    OrtProfile profile(fd, {}, spans);
    CHECK(profile.convert(1) == OrtProfile::Result::kMalformed);
    CHECK(::lseek(fd, 0, SEEK_CUR) < (1 << 20) + (1 << 17));
  }
}

}  // namespace
}  // namespace xsp::test
