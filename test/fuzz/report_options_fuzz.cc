/// Entry for the texts of xsp-report's options: expressions of --fail-if, patterns of names, peaks of devices, and the
/// whole command line, a word a line. The first byte says which.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "analysis/cli/options.h"
#include "analysis/compare/condition.h"
#include "analysis/timeline/name_pattern.h"
#include "analysis/work/peak_options.h"
#include "test/fuzz/fuzz_input.h"

namespace {

using namespace xsp::analysis;
using namespace xsp;

void match(xsp::test::FuzzInput& input) {
  NamePattern pattern;
  const std::string expression(input.line());
  if (!pattern.set(expression).ok()) return;
  StringTable strings;
  const uint32_t id = strings.intern(input.rest());
  (void)pattern.matches(strings, id);
}

void read_command_line(xsp::test::FuzzInput& input) {
  std::vector<std::string> words = input.lines(32);
  words.insert(words.begin(), "xsp-report");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  Options options;
  std::string text;
  Status status;
  const Request request = parse_options(static_cast<int>(words.size()), pointers.data(), &options, &text, &status);
  if (request == Request::kUsageError && status.ok()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  xsp::test::FuzzInput input(data, size);
  switch (input.byte() % 5) {
    case 0: {
      Condition condition;
      (void)parse_condition(input.rest(), &condition);
      break;
    }
    case 1:
      match(input);
      break;
    case 2: {
      PeakOptions options;
      (void)parse_peak_flops(input.rest(), &options);
      break;
    }
    case 3: {
      PeakOptions options;
      (void)parse_memory_bandwidth(input.rest(), &options);
      break;
    }
    default:
      read_command_line(input);
  }
  return 0;
}
