#include "analysis/report/redaction.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/render/render.h"
#include "analysis/render/summary.h"
#include "analysis/report/path_names.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/trace/byte_source.h"
#include "analysis/trace/loader.h"
#include "test/analysis/support/leveled_runs.h"
#include "test/analysis/support/trace_builder.h"
#include "test/analysis/support/written_page.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

constexpr const char* kFolder = "/home/moonbeam/of moonbeam/";

/// A trace with the word "moonbeam" wherever a command, a machine or a folder can stand.
std::string telling_trace() {
  const std::string folder = kFolder;
  TraceBuilder builder;
  auto* header = builder.message().mutable_packet(0)->mutable_header();
  header->set_hostname("moonbeam.example.org");
  header->add_source_file(folder + "profile.json");
  for (const std::string& word : {std::string("python3"), folder + "infer.py", std::string("--token=moonbeam")}) {
    header->add_command(word);
  }
  auto* run = header->mutable_run();
  run->set_set("00000000000000aa");
  run->set_index(1);
  auto* parameter = run->add_parameters();
  parameter->set_name("model");
  parameter->set_value("/home/moonbeam/net.onnx");

  builder.add_process(987654);
  auto* hello = builder.message().mutable_packet(builder.message().packet_size() - 1)->mutable_hello();
  hello->set_executable(folder + "python3");
  hello->add_command(folder + "python3");
  hello->add_command("--password");
  hello->add_command("moonbeam");
  (*hello->mutable_environment())["SECRET"] = "moonbeam";
  (*hello->mutable_environment())["RANK"] = "moonbeam";
  (*hello->mutable_environment())["LOCAL_RANK"] = "3";

  const auto add_notice = [&](const std::string& text) {
    auto* notice = builder.packet(1)->mutable_notice();
    notice->set_severity(Notice::WARNING);
    notice->set_component("guest");
    notice->set_text(text);
  };
  add_notice("cannot read /home/moonbeam/a/config.yaml, nor \"" + folder + "b.so\" (pid 987654)");
  add_notice("started as python3 " + folder + "infer.py --token=moonbeam on moonbeam");
  add_notice("relative moonbeam/lib/x.so and C:\\Users\\moonbeam\\y.dll and file://moonbeam/z");
  auto* loss = builder.packet(1)->mutable_loss();
  loss->set_reason(Loss::PROFILE_FILE);
  loss->set_count(1);
  loss->set_detail("/tmp/moonbeam/profile.json");
  auto* unseen = builder.packet(1)->mutable_unintercepted();
  unseen->set_library(folder + "libcudnn.so.9");
  unseen->set_file(folder + "libcudnn.so.9");
  unseen->set_user(folder + "libtorch.so");
  unseen->set_detail("opened by " + folder + "libtorch.so");
  auto* used = builder.packet(1)->mutable_used_library();
  used->set_library("blas");
  used->set_file(folder + "libblas.so.3");
  auto* gap = builder.packet(1)->mutable_gap();
  gap->set_detail("/home/moonbeam/profiler.py took it");

  const int64_t ms = 1'000'000;
  const SpanSpec model{.begin = 0,
                       .end = 9 * ms,
                       .id = 1,
                       .level = LEVEL_MODEL,
                       .kind = KIND_ORT_RUN,
                       .name = folder + "net.onnx",
                       .input = "[4,3]",
                       .scope = folder + "net.onnx (session 1)",
                       .thread = 987655};
  builder.add({.begin = 1 * ms,
               .end = 3 * ms,
               .id = 2,
               .parent = 1,
               .kind = KIND_ORT_NODE,
               .name = "/conv1/Conv",
               .type = "Conv",
               .thread = 987655});
  builder.add({.begin = 3 * ms,
               .end = 5 * ms,
               .id = 3,
               .parent = 1,
               .kind = KIND_API,
               .name = "step in /home/moonbeam/x.py",
               .type = "moonbeam/run.py",
               .thread = 987655});
  builder.add(model);
  auto* end = builder.packet(1)->mutable_process_end();
  end->set_how(ProcessEnd::CUT_OFF);
  end->set_why("lost " + folder + "socket.bin");
  return builder.bytes();
}

/// Loads bytes as a file of this path, without the folders that redact() takes out.
void load_redacted(const std::string& bytes, const std::string& path, analysis::AnalysedTrace* analysed) {
  analysis::MemorySource source(bytes);
  REQUIRE(analysis::load_trace(source, path, &analysed->trace).ok());
  auto& set = analysed->trace.sets.emplace_back();
  set.folder = "/home/moonbeam/set moonbeam";
  set.id = "00000000000000aa";
  set.planned = 2;
  set.missing = 1;
  set.stopped = "run 1 of 2: python3 /home/moonbeam/of moonbeam/infer.py --token=moonbeam failed";
  set.problems = {"cannot read /home/moonbeam/run.json"};
  set.out_of_memory = {"model=/home/moonbeam/net.onnx"};
  redact(&analysed->trace);
  REQUIRE(analyse({}, {}, analysed).ok());
}

TEST_CASE("of a system's library the folder stays that says which one it is") {
  TraceBuilder builder;
  builder.add_process(10);
  for (const char* file : {"/usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3", "/home/me/lib/libblas.so.3"}) {
    builder.packet(1)->mutable_used_library()->set_file(file);
  }
  analysis::AnalysedTrace analysed;
  load_redacted(builder.bytes(), "a.pb", &analysed);
  REQUIRE(analysed.trace.used_libraries.size() == 2);
  CHECK(analysed.trace.used_libraries[0].file == "openblas-pthread/libblas.so.3");
  CHECK(analysed.trace.used_libraries[1].file == "libblas.so.3");
}

TEST_CASE("nothing that a report writes has what was redacted") {
  analysis::AnalysedTrace analysed;
  load_redacted(telling_trace(), "/home/moonbeam/xsp-infer-987654.pb", &analysed);
  const analysis::Report report = report_of(analysed);
  const std::string page = page_of(report, analysed);
  std::string all = page;
  for (const char* id : {"xsp-tables", "xsp-figures", "xsp-timeline", "xsp-icicle"}) all += unpacked(page, id).dump();
  const std::vector<analysis::ReportInput> inputs = {{.path = analysed.trace.files[0].path}};
  all += render_text(report.tables, {});
  all += render_json(report.tables, inputs, {});
  all += render_csv(report.tables, {});
  all += render_summary(*analysed.study);
  for (const std::string& warning : input_warnings(analysed.trace)) all += warning;
  // Where it still stands, so that a failure tells.
  const size_t at = all.find("moonbeam");
  INFO(all.substr(at == std::string::npos ? 0 : at - std::min<size_t>(at, 80), 200));
  CHECK(at == std::string::npos);
  CHECK_FALSE(contains(all, "98765"));
  CHECK(contains(all, "xsp-infer-1.pb"));
}

TEST_CASE("names of layers, files and programs stay") {
  analysis::AnalysedTrace analysed;
  load_redacted(telling_trace(), "/home/moonbeam/a.pb", &analysed);
  const analysis::Report report = report_of(analysed);
  const std::string text = render_text(report.tables, {});
  CHECK(contains(text, "/conv1/Conv"));
  CHECK(contains(text, "net.onnx"));
  CHECK(contains(text, "step in x.py"));
  CHECK(contains(report.header.title, "python3"));
  const auto process = std::find_if(analysed.trace.processes.begin(), analysed.trace.processes.end(),
                                    [](const analysis::Process& candidate) { return candidate.said_hello; });
  REQUIRE(process != analysed.trace.processes.end());
  CHECK(process->environment == std::vector<std::pair<std::string, std::string>>{{"LOCAL_RANK", "3"}});
  CHECK(analysed.trace.notices[0].text == "cannot read config.yaml, nor \"b.so\" (pid 1)");
}

TEST_CASE("processes of several runs are matched as before") {
  const RunSet set = four_levels();
  const Analysed plain(set.traces);
  analysis::AnalysedTrace redacted;
  for (const std::string& bytes : set.traces) {
    analysis::MemorySource source(bytes);
    REQUIRE(analysis::load_trace(source, "/x/test.pb", &redacted.trace).ok());
  }
  redact(&redacted.trace);
  REQUIRE(analyse({}, {}, &redacted).ok());
  CHECK(redacted.evaluations.groups.size() == plain.evaluations.groups.size());
  CHECK(redacted.study->model_latency_ns == plain.study->model_latency_ns);
}

TEST_CASE("commands that differ by numbers stay alike, others do not") {
  analysis::Trace trace;
  for (const auto& command : std::vector<std::vector<std::string>>{
           {"worker", "--port", "10"}, {"worker", "--port", "9"}, {"server"}, {"worker", "--port", "10"}}) {
    trace.processes.emplace_back().command = command;
  }
  trace.segments.emplace_back();
  redact(&trace);
  const auto& processes = trace.processes;
  CHECK(processes[0].command == processes[3].command);
  CHECK(processes[0].command != processes[1].command);
  CHECK(processes[0].command[0] == processes[1].command[0]);
  CHECK(processes[0].command[0] != processes[2].command[0]);
}

TEST_CASE("a sentence keeps the names in the paths that it has") {
  using analysis::without_folders;
  CHECK(without_folders("read /home/me/a.txt: no such file") == "read a.txt: no such file");
  CHECK(without_folders("--model=/home/me/a.onnx") == "--model=a.onnx");
  CHECK(without_folders("'/home/my files/a.onnx'") == "'a.onnx'");
  CHECK(without_folders("(../x/y.py:12)") == "(y.py:12)");
  CHECK(without_folders("libs/libx.so.9") == "libx.so.9");
  CHECK(without_folders("C:\\Users\\me\\a.onnx") == "a.onnx");
  CHECK(without_folders("~/me/model") == "model");
}

TEST_CASE("what is no path stays") {
  using analysis::without_folders;
  for (const char* text : {"forward/backward", "3 img/s", "10/12", "", "/", "a / b", "resnet/block.1/conv", "f(x)/y"}) {
    CHECK(without_folders(text) == text);
  }
}

TEST_CASE("the last name of a path is what is left of it") {
  using analysis::base_name;
  CHECK(base_name("/home/me/a") == "a");
  CHECK(base_name("/home/me/a/") == "a");
  CHECK(base_name("a") == "a");
  CHECK(base_name("/") == "/");
  CHECK(base_name("").empty());
}

}  // namespace
}  // namespace xsp::test
