#include "analysis/trace/set_folder.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analysis/tables/loss_notes.h"
#include "analysis/trace/byte_source.h"
#include "analysis/trace/loader.h"
#include "analysis/trace/set_index.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

using xsp::Status;

constexpr const char* kSet = "00000000000000aa";

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "xsp-set-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << bytes;
  }
  /// `runs` are the members of the list.
  void index(const std::string& runs, const std::string& state = R"("state":"complete")") const {
    write("set.json", std::string(R"({"format":1,"set":")") + kSet + R"(","command":["a"],)" + state + R"(,"runs":[)" +
                          runs + "]}");
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string run(uint32_t index, int64_t batch = 0, bool finished = true) {
  TraceBuilder builder;
  if (batch == 0) {
    builder.describe_run(index, "model");
  } else {
    builder.describe_run(index, "model", 1, {{"batch", std::to_string(batch)}});
  }
  builder.add_process(index);
  builder.add_evaluation(10, {3, 2});
  return builder.bytes(finished);
}

std::string listed(uint32_t index, const std::string& state, const std::string& more = "") {
  return R"({"index":)" + std::to_string(index) + R"(,"trace":"00)" + std::to_string(index) +
         R"(-model.pb","state":")" + state + "\"" + more + "}";
}

/// Indices of the runs that were loaded, in order.
std::vector<uint32_t> loaded(const analysis::Trace& trace) {
  std::vector<uint32_t> indices;
  for (const analysis::Segment& segment : trace.segments) indices.push_back(segment.run ? segment.run->index : 0);
  return indices;
}

bool warns(const analysis::Trace& trace, const std::string& part) {
  for (const std::string& warning : analysis::input_warnings(trace)) {
    if (contains(warning, part)) return true;
  }
  return false;
}

TEST_CASE("a set is read in order of its runs, and nothing else in the folder is") {
  const Folder folder;
  folder.write("001-model.pb", run(1));
  folder.write("002-model.pb", run(2));
  folder.write("009-model.pb", run(9));
  folder.index(listed(2, "done") + "," + listed(1, "done"));
  analysis::Trace trace;
  REQUIRE(analysis::load_path(folder.path(), &trace).ok());
  CHECK(loaded(trace) == std::vector<uint32_t>{1, 2});
  REQUIRE(trace.sets.size() == 1);
  CHECK(trace.sets[0].id == kSet);
  CHECK(trace.sets[0].planned == 2);
  CHECK(trace.sets[0].done == 2);
  CHECK(analysis::input_warnings(trace).empty());
  CHECK_FALSE(trace.segments[0].run->failed);
}

TEST_CASE("a set that was stopped says where, why and what is not there") {
  const Folder folder;
  folder.write("001-model.pb", run(1));
  folder.write("002-model.pb", run(2));
  folder.write("003-model.pb.partial", run(3, 0, false));
  folder.index(listed(1, "done") + "," + listed(2, "done") + "," + listed(3, "failed", R"(,"exit_status":1)") + "," +
                   listed(4, "planned") + "," + listed(5, "planned"),
               R"("state":"stopped","stopped_by":"run 3 ended with exit status 1")");
  analysis::Trace trace;
  REQUIRE(analysis::load_path(folder.path(), &trace).ok());
  CHECK(loaded(trace) == std::vector<uint32_t>{1, 2, 3});
  CHECK_FALSE(trace.segments[1].run->failed);
  CHECK(trace.segments[2].run->failed);
  CHECK(trace.sets[0].done == 2);
  CHECK(warns(
      trace, "set " + folder.path() + ": stopped in run 3 of 5: run 3 ended with exit status 1; 2 runs are not there"));
}

TEST_CASE("a run that failed in a set that went on is named, and one without memory ends a sweep without harm") {
  const Folder folder;
  folder.write("001-model.pb", run(1, 4));
  folder.write("002-model.pb", run(2, 8));
  folder.write("003-model.pb", run(3, 16));
  folder.index(listed(1, "failed", R"(,"signal":9,"parameters":{"batch":"4"})") + "," +
               listed(2, "done", R"(,"parameters":{"batch":"8"})") + "," +
               listed(3, "out of memory", R"(,"exit_status":1,"parameters":{"batch":16})") + "," +
               listed(4, "dropped"));
  analysis::Trace trace;
  REQUIRE(analysis::load_path(folder.path(), &trace).ok());
  CHECK(trace.sets[0].planned == 3);
  CHECK(trace.sets[0].missing == 0);
  CHECK(trace.sets[0].out_of_memory == std::vector<std::string>{"batch=16"});
  CHECK(trace.segments[2].run->failed);
  const auto warnings = analysis::input_warnings(trace);
  REQUIRE(warnings.size() == 1);
  CHECK(contains(warnings[0], "run 1 (batch=4): failed (signal 9); what it recorded is used"));
}

TEST_CASE("traces that are missing, foreign, empty or listed twice are told, and the others used") {
  const Folder folder;
  folder.write("001-model.pb", run(1));
  folder.write("002-model.pb", "");
  folder.write("003-model.pb", R"({"traceEvents": []})");
  folder.write("005-model.pb", run(7));
  folder.index(listed(1, "done") + "," + listed(2, "done") + "," + listed(3, "done") + "," + listed(4, "done") + "," +
               listed(5, "done") + R"(,{"index":6,"trace":"001-model.pb","state":"done"},)" + listed(7, "done"));
  analysis::Trace trace;
  REQUIRE(analysis::load_path(folder.path(), &trace).ok());
  CHECK(trace.sets[0].missing == 5);
  CHECK(warns(trace, "5 of 7 runs are not there"));
  CHECK(warns(trace, "run 2: " + folder.path() + "/002-model.pb is empty"));
  CHECK(warns(trace, "run 3: " + folder.path() + "/003-model.pb is not an XSP trace"));
  CHECK(warns(trace, "run 4: 004-model.pb is not there"));
  CHECK(warns(trace, "run 5: 005-model.pb is of something else"));
  CHECK(warns(trace, "and 1 problem more"));
}

TEST_CASE("an index opens no file outside of its folder") {
  const Folder outside;
  outside.write("001-model.pb", run(1));
  const Folder folder;
  folder.write("002-model.pb", run(2));
  const std::string name = std::filesystem::path(outside.path()).filename().string();
  for (const std::string& path :
       {"../" + name + "/001-model.pb", outside.path() + "/001-model.pb", std::string(".."), std::string("a/b")}) {
    folder.index(R"({"index":1,"trace":")" + path + R"(","state":"done"},)" + listed(2, "done"));
    analysis::Trace trace;
    REQUIRE(analysis::load_path(folder.path(), &trace).ok());
    CHECK(loaded(trace) == std::vector<uint32_t>{2});
    CHECK(warns(trace, "run 1: " + path + " is not in the folder, and not read"));
  }
}

TEST_CASE("a folder or a pipe in the place of a trace is no trace") {
  const Folder folder;
  std::filesystem::create_directory(folder.path() + "/001-model.pb");
  REQUIRE(mkfifo((folder.path() + "/002-model.pb").c_str(), 0600) == 0);
  folder.index(listed(1, "done") + "," + listed(2, "done"));
  analysis::Trace trace;
  const Status status = analysis::load_path(folder.path(), &trace);
  CHECK(contains(status.error, "holds no trace of its set (run 1: 001-model.pb is not there)"));
  folder.index("", R"("state":"stopped","stopped_by":"out of disk")");
  CHECK(contains(analysis::load_path(folder.path(), &trace).error, "(out of disk)"));
}

TEST_CASE("an index that cannot be used is told, and the traces are read without it") {
  const Folder folder;
  folder.write("001-model.pb", run(1));
  folder.write("002-model.pb.partial", run(2, 0, false));
  const auto warning_of = [&](const std::string& text) {
    folder.write("set.json", text);
    analysis::Trace trace;
    REQUIRE(analysis::load_path(folder.path(), &trace).ok());
    CHECK(loaded(trace) == std::vector<uint32_t>{1, 2});
    return analysis::input_warnings(trace).front();
  };
  CHECK(contains(warning_of(""), "set.json is damaged (no JSON); the traces are read without it"));
  CHECK(contains(warning_of(R"({"format":1,"set":"a","runs":[{"index":1,)"), "damaged (no JSON)"));
  CHECK(contains(warning_of(R"({"format":1,"set":"a"})"), "damaged (no list of runs)"));
  CHECK(contains(warning_of(R"(["something", "else"])"), "not the index of a set"));
  CHECK(contains(warning_of(R"({"format":2,"set":"a","program":"xsp-run 9"})"),
                 "of format 2 (this xsp-report reads up to 1; it was written by xsp-run 9)"));
  CHECK(contains(warning_of(std::string(size_t{9} << 20, ' ')), "longer than 8 MiB"));
}

TEST_CASE("members of an index of any type do no harm") {
  for (const char* value : {"null", "-1", "1e300", "18446744073709551615", "[]", "{}", "\"\"", "true", "[[[[]]]]"}) {
    for (const char* name : {"index", "trace", "state", "parameters", "exit_status", "signal"}) {
      analysis::SetIndex index;
      const std::string text = std::string(R"({"format":1,"set":"a","state":)") + value + R"(,"runs":[{")" + name +
                               "\":" + value + "}," + value + "]}";
      CHECK(analysis::parse_set_index(text, &index).ok());
      CHECK(index.runs.size() == 2);
    }
  }
}

TEST_CASE("a list of a million runs is refused in no time") {
  std::string runs;
  for (int i = 0; i < 1'000'000; ++i) runs += "{},";
  analysis::SetIndex index;
  CHECK(contains(analysis::parse_set_index(R"({"format":1,"set":"a","runs":[)" + runs + "{}]}", &index).error,
                 "more than 100000 runs"));
  CHECK(index.runs.empty());
}

TEST_CASE("a concatenation of the traces of a set needs no index") {
  TraceBuilder counted;
  counted.describe_run(3, "");
  counted.message().mutable_packet(0)->mutable_header()->mutable_run()->set_purpose(ExperimentRun::SERIALISED);
  const std::string bytes = run(1, 4) + run(2, 8) + counted.bytes();
  analysis::MemorySource source(bytes);
  analysis::Trace trace;
  REQUIRE(analysis::load_trace(source, "set.pb", &trace).ok());
  CHECK(loaded(trace) == std::vector<uint32_t>{1, 2, 3});
  CHECK(trace.segments[1].run->parameters == decltype(trace.segments[1].run->parameters){{"batch", "8"}});
  CHECK(trace.segments[2].run->purpose == analysis::RunPurpose::kSerialised);
  CHECK(analysis::input_warnings(trace).empty());
}

}  // namespace
}  // namespace xsp::test
