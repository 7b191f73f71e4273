#pragma once

#include <string>
#include <vector>

#include "analysis/study/study.h"

namespace xsp::analysis {

/// One thing about what was profiled: "GPU" "NVIDIA H100, 2 processes".
struct Fact {
  std::string name;
  std::string value;
};

/// The top of a report: what was profiled, on what, when, by which command, and what is missing from it.
struct ReportHeader {
  std::string title;                // of the page and of terminals: "ResNet50, python3.11 infer.py"
  std::string line;                 // what the numbers are of: "batch 32 · Tesla V100 · 5 of 6 steps used"
  std::vector<Fact> facts;          // program, command, when, machine, GPU, levels recorded, measured or estimated
  std::vector<std::string> losses;  // what the trace lacks or lost, a sentence each; empty: nothing

  // Heads of the page, for reports of something other than a recording.
  std::string facts_head = "What was profiled";
  std::string losses_head = "Missing from this recording";
  std::string complete = "Nothing: the recording is complete.";
};

ReportHeader report_header(const Study& study);

}  // namespace xsp::analysis
