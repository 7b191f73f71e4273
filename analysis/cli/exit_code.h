#pragma once

namespace xsp::analysis {

enum ExitCode {
  kDone = 0,
  kFails = 1,  // --fail-if
  kUsage = 2,
  kBadInput = 3,
  kLacksData = 4,
  kNoOutput = 5,
  kContradiction = 6
};

}  // namespace xsp::analysis
