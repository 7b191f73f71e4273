/// Entry for the texts that a trace carries and the analysis reads: names of kernels, launch configurations, shapes,
/// operators, sentences, and what makes them safe to show. The first byte says which.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "analysis/html/html_text.h"
#include "analysis/report/path_names.h"
#include "analysis/timeline/kernel_names.h"
#include "analysis/trace/launch_configuration.h"
#include "analysis/work/device_names.h"
#include "analysis/work/kernel_name.h"
#include "analysis/work/operator_work.h"
#include "analysis/work/tensor_shape.h"
#include "base/shell_words.h"
#include "base/text_encoding.h"
#include "test/fuzz/fuzz_input.h"

namespace {

using namespace xsp::analysis;
using namespace xsp;

void expect(bool holds) {
  if (!holds) std::abort();
}

bool has_control(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return true;
  }
  return false;
}

void show(std::string_view text) {
  const std::string safe = printable(text);
  expect(!has_control(safe) && valid_utf8(safe) == safe);
  const size_t width = display_width(safe);
  for (const size_t most : {size_t{1}, size_t{7}, size_t{40}}) {
    const std::string cut = shorten(safe, most);
    expect(valid_utf8(cut) == cut && display_width(cut) <= std::max(most, std::min(width, most)));
  }
  expect(valid_utf8(valid_utf8(text)) == valid_utf8(text));
  expect(html_text(text).find_first_of("<>\"'") == std::string::npos);
}

void name_kernel(std::string_view text) {
  const std::string name = demangled(text);
  expect(name.size() <= std::max<size_t>(16 << 10, text.size()));
  (void)kernel_traits(text);
  (void)kernel_traits(name);
}

void compute_work(xsp::test::FuzzInput& input) {
  OperatorCall call;
  call.name = input.line();
  call.inputs = input.line();
  call.outputs = input.line();
  call.values = input.line();
  call.enclosing_inputs = input.line();
  call.gradient_inputs = input.line();
  (void)operator_work(call);
  (void)parse_tensor_arguments(call.inputs);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  xsp::test::FuzzInput input(data, size);
  switch (input.byte() % 7) {
    case 0:
      name_kernel(input.rest());
      break;
    case 1:
      (void)launch_configuration(input.rest());
      break;
    case 2:
      compute_work(input);
      break;
    case 3:
      show(input.rest());
      break;
    case 4:
      (void)without_folders(input.rest());
      break;
    case 5:
      (void)shell_command(input.lines(64));
      break;
    default: {
      const std::string_view text = input.rest();
      (void)find_meant(text);
      (void)similar_names(text, 3);
      (void)is_instance(text);
      (void)is_rooted_path(text);
      (void)is_in_system_folder(text);
    }
  }
  return 0;
}
