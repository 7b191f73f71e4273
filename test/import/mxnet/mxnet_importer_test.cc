#include "import/frame/importer.h"
#include "test/catch.h"
#include "test/import/read_timeline.h"

namespace xsp::test {
namespace {

/// As MXNet 1.9 writes it: an operator as begin and end, and again as a task; a counter; a thread's id as a hash.
constexpr const char* kProfile = R"({
    "traceEvents": [
        {
            "ph": "M",
            "args": {
                "name": "cpu/0"
            },
            "pid": 0,
            "name": "process_name"
        },
        {"ph": "M", "args": {"name": "gpu/0"}, "pid": 4, "name": "process_name"},

    {
        "name": "Convolution",
        "cat": "operator",
        "ph": "B",
        "ts": 1589000000000100,
        "pid": 4,
        "tid": 17462781234567890123
    },
    {"name": "Convolution", "cat": "operator", "ph": "E", "ts": 1589000000000520, "pid": 4, "tid": 17462781234567890123},
    {"name": "Activation", "cat": "operator", "ph": "B", "ts": 1589000000000520, "pid": 4, "tid": 17462781234567890123},
    {"name": "Activation", "cat": "operator", "ph": "E", "ts": 1589000000000530, "pid": 4, "tid": 17462781234567890123},
    {"name": "CopyCPU2GPU", "cat": "operator", "ph": "B", "ts": 1589000000000000, "pid": 0, "tid": 99},
    {"name": "CopyCPU2GPU", "cat": "operator", "ph": "E", "ts": 1589000000000050, "pid": 0, "tid": 99},
    {"ph": "M", "args": {"name": "operator"}, "pid": 5555, "name": "process_name"},
    {"name": "Convolution", "cat": "operator", "ph": "b", "ts": 1589000000000100, "id": 1, "pid": 5555, "tid": 5},
    {"name": "Convolution", "cat": "operator", "ph": "e", "ts": 1589000000000520, "id": 1, "pid": 5555, "tid": 5},
    {"name": "epoch", "cat": "my domain", "ph": "b", "ts": 1589000000000000, "id": 1, "pid": 6666, "tid": 7},
    {"name": "epoch", "cat": "my domain", "ph": "e", "ts": 1589000000000900, "id": 1, "pid": 6666, "tid": 7},
    {"name": "Memory: gpu/0", "cat": "Device Storage", "ph": "C", "ts": 1589000000000000, "args": { "Memory: gpu/0": 4096 }, "pid": 1, "tid": 7}
    ],
    "displayTimeUnit": "ms"
}
)";

std::string event(const char* name, char phase, const char* time, int thread = 1) {
  return std::string(R"({"name":")") + name + R"(","cat":"operator","ph":")" + phase + R"(","ts":)" + time +
         R"(,"pid":0,"tid":)" + std::to_string(thread) + "}";
}

ImportedTrace import_events(std::initializer_list<std::string> events) {
  std::string text = R"({"traceEvents":[)";
  bool first = true;
  for (const std::string& one : events) {
    if (!first) text += ',';
    text += one;
    first = false;
  }
  return import_text(kMxnetImporter, text + "]}");
}

TEST_CASE("all that the first releases record are operators") {
  const ImportedTrace trace = import_text(kMxnetImporter, R"({"traceEvents": [
    {"ph": "M", "args": {"name": "cpu/0"}, "pid": 0, "name": "process_name"},
    {"name": "[Embedding,Concat]", "cat": "category", "ph": "B", "ts": 1490000000000000, "pid": 0, "tid": 14},
    {"name": "[Embedding,Concat]", "cat": "category", "ph": "E", "ts": 1490000000005000, "pid": 0, "tid": 14}]})");
  CHECK(trace.span("[Embedding,Concat]").kind == KIND_OPERATOR);
}

TEST_CASE("operators of MXNet become operators of their threads, once") {
  const ImportedTrace trace = import_text(kMxnetImporter, kProfile);
  REQUIRE(trace.spans.size() == 4);
  REQUIRE(trace.processes.size() == 1);
  const auto& convolution = trace.span("Convolution");
  CHECK(convolution.level == LEVEL_APPLICATION);
  CHECK(convolution.kind == KIND_OPERATOR);
  CHECK(convolution.type == "Convolution");
  CHECK(convolution.end - convolution.begin == 420'000);
  CHECK(trace.span("Activation").thread == convolution.thread);
  CHECK(trace.span("Activation").parent == 0);
  CHECK(trace.span("CopyCPU2GPU").thread != convolution.thread);
  CHECK(trace.span("CopyCPU2GPU").begin == 1'000'000);
  CHECK(trace.span("epoch").kind == KIND_ANNOTATION);
  CHECK(trace.span("epoch").type == "my domain");
  CHECK(trace.executions.empty());
  CHECK(trace.header.realtime_offset_ns() == 1'589'000'000'000'000'000 - 1'000'000);
  CHECK(trace.has_note("2 operators on gpu/0: times of MXNet's engine"));
  CHECK(trace.has_note("1 counters and marks were left out"));
}

TEST_CASE("begins and ends of MXNet are joined by name, innermost first") {
  const ImportedTrace trace =
      import_events({event("Custom", 'B', "10"), event("Custom::mul", 'B', "20"), event("Custom::mul", 'E', "30"),
                     event("Custom", 'E', "40"), event("a", 'B', "50"), event("a", 'B', "52"), event("a", 'E', "54"),
                     event("a", 'E', "60"), event("a", 'B', "50", 2), event("a", 'E', "51", 2)});
  CHECK(trace.span("Custom::mul").parent_name == "Custom");
  CHECK(trace.count_spans("a") == 3);
  CHECK(trace.span("Custom").end - trace.span("Custom").begin == 30'000);
}

TEST_CASE("what is damaged in a profile of MXNet is counted") {
  const ImportedTrace trace =
      import_events({event("fine", 'B', "10"), event("fine", 'E', "20"), event("open", 'B', "30"),
                     event("closed", 'E', "40"), event("back", 'B', "60"), event("back", 'E', "50"),
                     event("timeless", 'B', "1e30"), event("odd", '?', "1"), event("caf\xE9", 'X', "70")});
  CHECK(trace.spans.size() == 1);
  CHECK(trace.has_note("event that begins and does not end: 1"));
  CHECK(trace.has_note("event that ends and did not begin: 1"));
  CHECK(trace.has_note("event that ends before it begins: 1"));
  CHECK(trace.has_note("event without a time: 2"));
  CHECK(trace.has_note("event of an unknown kind: 1"));
}

TEST_CASE("a profile of MXNet that was not finished is read up to its end") {
  const std::string text = kProfile;
  const ImportedTrace trace = import_text(kMxnetImporter, text.substr(0, text.find("\"Activation\"")));
  CHECK(trace.spans.size() == 1);
  CHECK(trace.has_note("the input ends early"));
}

TEST_CASE("a profile of MXNet without operators is an error") {
  CHECK(import_error(kMxnetImporter, R"({"traceEvents":[]})") == "no event of an MXNet profile in it");
  CHECK(import_error(kMxnetImporter, R"({"traceEvents":[{"ph":"M","pid":0,"name":"process_name","args":[]}]})")
            .find("no event") == 0);
}

TEST_CASE("profiles of MXNet are recognised, those of others are not") {
  CHECK(kMxnetImporter.recognise(kProfile) > 90);
  CHECK(kMxnetImporter.recognise(R"({"schemaVersion":1,"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a"}]})") == 0);
  CHECK(kMxnetImporter.recognise("[]") == 0);
}

}  // namespace
}  // namespace xsp::test
