/// Entry for what xsp-run and xsp-bench read: their command lines, a word a line, and the texts in them; the status
/// line of the collector. The first byte says which.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "inject/bench/command_template.h"
#include "inject/bench/decimal.h"
#include "inject/bench/options.h"
#include "inject/bench/sweep_parameter.h"
#include "inject/launch/options/device_choice.h"
#include "inject/launch/options/options.h"
#include "inject/launch/options/time_span.h"
#include "inject/launch/run/collector_status.h"
#include "inject/launch/run/output_name.h"
#include "test/fuzz/fuzz_input.h"

namespace {

using xsp::test::FuzzInput;

template <typename Options, typename Parse>
void read_command_line(FuzzInput& input, const char* program, Parse&& parse) {
  std::vector<std::string> words = input.lines(32);
  words.insert(words.begin(), program);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  Options options;
  const xsp::Status status = parse(static_cast<int>(words.size()), pointers.data(), &options);
  if (status.ok() && (!status.hint.empty() || status.exit_code != 0)) std::abort();
}

void fill_in(FuzzInput& input) {
  xsp::bench::SweepParameter parameter;
  const std::string name(input.line());
  if (!xsp::bench::parse_value_list(name, std::string(input.line()), &parameter).ok()) return;
  const std::vector<std::string> command = input.lines(8);
  const std::vector<xsp::bench::SweepParameter> parameters = {parameter};
  if (!xsp::bench::check_parameters(parameters).ok() || !xsp::bench::check_use(command, parameters).ok()) return;
  (void)xsp::bench::unknown_names(command, parameters);
  const auto points = xsp::bench::sweep_points(parameters);
  if (!points.empty()) (void)xsp::bench::filled_in(command, points.front());
}

void scan(FuzzInput& input) {
  xsp::bench::SweepParameter parameter;
  const std::string first(input.line());
  const std::string last(input.line());
  (void)xsp::bench::parse_scan("n", first, last, std::string(input.line()), &parameter);
  const auto decimal = xsp::bench::parse_decimal(first);
  if (decimal && xsp::bench::parse_decimal(xsp::bench::text_of(*decimal)) != decimal) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  switch (input.byte() % 8) {
    case 0:
      read_command_line<xsp::launch::Options>(input, "xsp-run", xsp::launch::parse_options);
      break;
    case 1:
      read_command_line<xsp::bench::Options>(input, "xsp-bench", xsp::bench::parse_options);
      break;
    case 2:
      (void)xsp::launch::parse_time_span(input.rest());
      break;
    case 3: {
      std::string path;
      (void)xsp::launch::expand_placeholders(std::string(input.rest()), 42, &path);
      break;
    }
    case 4:
      (void)xsp::launch::parse_collector_status(std::string(input.rest()));
      break;
    case 5:
      (void)xsp::launch::check_metric_list(std::string(input.rest()));
      break;
    case 6:
      fill_in(input);
      break;
    default:
      scan(input);
  }
  return 0;
}
