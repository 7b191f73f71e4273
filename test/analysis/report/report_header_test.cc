#include "analysis/report/report_header.h"

#include <algorithm>

#include "test/analysis/support/leveled_runs.h"
#include "test/analysis/support/live_trace.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

using analysis::ReportHeader;

/// The value of a fact; empty: it is not there.
std::string fact(const ReportHeader& header, const std::string& name) {
  const auto found = std::find_if(header.facts.begin(), header.facts.end(),
                                  [&](const analysis::Fact& candidate) { return candidate.name == name; });
  return found == header.facts.end() ? "" : found->value;
}

/// A recording whose circumstances are all known.
TraceBuilder known_recording() {
  TraceBuilder builder;
  auto* header = builder.message().mutable_packet(0)->mutable_header();
  header->set_hostname("box");
  header->set_kernel("Linux 6.1.0");
  header->set_cpu_model("EPYC 7B13");
  header->set_cpu_count(16);
  header->set_realtime_offset_ns(1'700'000'000'000'000'000);
  header->set_begin_ns(5'000'000'000);
  for (const char* word : {"python3", "-u", "/home/me/infer.py", "--text", "it's"}) header->add_command(word);
  builder.add_process(4242);
  auto* device = builder.packet(1)->mutable_device();
  device->set_name("NVIDIA H100");
  device->set_driver_version(12040);
  device->set_cupti_version(22);
  builder.add_evaluation(0, {9, 9});
  for (int64_t i = 1; i < 6; ++i) builder.add_evaluation(100 * i, {1, 2});
  return builder;
}

TEST_CASE("a header says what was profiled, on what and when") {
  const Analysed analysed({known_recording().bytes()});
  const ReportHeader header = report_header(*analysed.study);
  CHECK(header.title == "Net, program infer.py");
  CHECK(fact(header, "Model") == "Net, input [4,3]");
  CHECK(fact(header, "Program") == "program");
  CHECK(fact(header, "Command") == "python3 -u /home/me/infer.py --text 'it'\\''s'");
  CHECK(fact(header, "Recorded") == "2023-11-14 22:13:25 UTC");
  CHECK(fact(header, "Machine") == "box, EPYC 7B13, 16 logical CPUs, Linux 6.1.0");
  CHECK(fact(header, "GPU") == "NVIDIA H100, driver for CUDA 12.4, CUPTI 22");
  CHECK(fact(header, "Levels") == "model (6), layer (12)");
  CHECK(fact(header, "Amount") == "18 spans of 1 process");
  CHECK(contains(fact(header, "Numbers"), "times measured by XSP"));
  CHECK(contains(fact(header, "Version"), "recorded by test"));
  CHECK(fact(header, "Runs").empty());
}

TEST_CASE("a header says how many evaluations its numbers are of") {
  const Analysed analysed({known_recording().bytes()});
  const std::string evaluations = fact(report_header(*analysed.study), "Evaluations");
  CHECK(evaluations == "5 of 6 used, 20 % trimmed mean; 1 left out as warm-up");
}

TEST_CASE("the line of a header says which calls of a model its numbers are of") {
  TraceBuilder builder;
  builder.add_process(7);
  for (int64_t i = 0; i < 9; ++i) builder.add_evaluation(100 * i, {2, 3}, "Net", i % 3 == 2 ? "[8,3]" : "[4,3]");
  builder.add_evaluation(950, {1}, "Other", "[1]");
  const Analysed analysed({builder.bytes()});
  const std::string line = report_header(*analysed.study).line;
  CHECK(contains(line, "5 of 9 calls used, those of input [4,3]"));
  CHECK(contains(line, "1 more in A1"));
  const Analysed alone({known_recording().bytes()});
  CHECK(contains(report_header(*alone.study).line, "5 of 6 calls used"));
  CHECK_FALSE(contains(report_header(*alone.study).line, "those of"));
}

/// Forward and backward of a model, with or without a step.
void train(LiveTrace& trace, const std::string& model, const std::string& input, bool steps) {
  trace.begin_model(model);
  trace.last().input = input;
  const uint32_t linear = trace.module("a", "Linear");
  trace.end();
  trace.backward("AddmmBackward0", linear);
  if (steps) trace.step();
}

TEST_CASE("steps are counted among those of training, and told apart by input and update") {
  LiveTrace trace;
  for (int i = 0; i < 24; ++i) train(trace, "Net", i % 3 == 0 ? "[8,9]" : "[8,6]", i % 4 == 3);
  for (int i = 0; i < 5; ++i) {
    trace.begin_model("Net");
    trace.module("a", "Linear");
    trace.end();
  }
  const Analysed analysed({trace.bytes()});
  const std::string line = report_header(*analysed.study).line;
  CHECK(contains(line, " of 24 steps used, those of input [8,6] without an optimizer step"));
  CHECK(contains(line, "1 more in A1"));
  CHECK_FALSE(contains(line, "pid"));
}

TEST_CASE("of models that are trained by turns one call is no step of the program") {
  LiveTrace trace;
  for (int i = 0; i < 8; ++i) {
    train(trace, "Generator", "[8,3]", true);
    train(trace, "Discriminator", "[8,9]", true);
  }
  const Analysed analysed({trace.bytes()});
  CHECK(contains(report_header(*analysed.study).line, " of 8 calls used"));
}

TEST_CASE("the line of a header says which of how many ranks it is of") {
  for (const auto& [size, said] : {std::pair("128", true), {"1", false}, {"", false}}) {
    TraceBuilder builder;
    builder.add_process(7, "3", size);
    builder.add_evaluation(0, {1});
    const Analysed analysed({builder.bytes()});
    CHECK(contains(report_header(*analysed.study).line, "rank 3 of 128") == said);
  }
}

TEST_CASE("what a trace does not tell is not in its header") {
  TraceBuilder builder;
  const Analysed analysed({builder.bytes()});
  const ReportHeader header = report_header(*analysed.study);
  CHECK(header.title == "XSP report");
  for (const char* name : {"Model", "Program", "Command", "Recorded", "Machine", "GPU", "Levels", "Evaluations"}) {
    CHECK(fact(header, name).empty());
  }
  CHECK(fact(header, "Amount") == "0 spans of 0 processes");
}

TEST_CASE("two processes on one machine see the same GPUs") {
  TraceBuilder builder;
  for (const uint32_t pid : {7u, 8u}) {
    const uint32_t process = builder.add_process(pid);
    for (const uint32_t index : {0u, 1u}) {
      auto* device = builder.packet(process)->mutable_device();
      device->set_index(index);
      device->set_name("V100");
    }
  }
  const Analysed analysed({builder.bytes()});
  CHECK(fact(report_header(*analysed.study), "GPU") == "2 × V100");
}

TEST_CASE("an imported profile is not measured by XSP") {
  TraceBuilder builder;
  builder.message().mutable_packet(0)->mutable_header()->set_source("kineto");
  builder.add_process(7);
  builder.add_evaluation(0, {1});
  const Analysed analysed({builder.bytes()});
  CHECK(fact(report_header(*analysed.study), "Numbers") == "imported from kineto");
}

TEST_CASE("a set's header counts its runs by level") {
  const RunSet set = four_levels();
  const Analysed analysed(set.traces);
  CHECK(contains(fact(report_header(*analysed.study), "Runs"), "of a set ("));
  CHECK(contains(fact(report_header(*analysed.study), "Runs"), " of M/L"));
}

TEST_CASE("losses and warnings are at the top, information is not") {
  TraceBuilder builder = known_recording();
  auto* loss = builder.packet(1)->mutable_loss();
  loss->set_reason(Loss::RING_FULL);
  loss->set_count(3);
  for (const auto& [severity, text] : {std::pair(Notice::WARNING, "torch is too new"), {Notice::INFO, "all is well"}}) {
    auto* notice = builder.packet(1)->mutable_notice();
    notice->set_severity(severity);
    notice->set_component("torch");
    notice->set_text(text);
  }
  const Analysed analysed({builder.bytes()});
  const auto losses = report_header(*analysed.study).losses;
  const auto says = [&](const std::string& part) {
    return std::any_of(losses.begin(), losses.end(), [&](const std::string& one) { return contains(one, part); });
  };
  CHECK(says("3 spans dropped while recording"));
  CHECK(says("torch: torch is too new"));
  CHECK_FALSE(says("all is well"));
}

TEST_CASE("a recording without losses says so") {
  const Analysed analysed({known_recording().bytes()});
  CHECK(report_header(*analysed.study).losses.empty());
}

}  // namespace
}  // namespace xsp::test
