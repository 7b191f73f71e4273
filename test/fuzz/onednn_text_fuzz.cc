/// Entry for what oneDNN says of its primitives: the lines of ONEDNN_VERBOSE and the texts of ITT. A problem made of
/// one reads as the same again, and its result has as many elements as benchmarks may have.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bound/joining/call_problem.h"
#include "bound/problems/geometry.h"
#include "bound/problems/operand_shapes.h"
#include "bound/problems/plain_values.h"

namespace {

using namespace xsp::bound;

/// Operands of more elements are not made: they would only take time.
constexpr int64_t kMostMade = 1 << 12;
constexpr size_t kMostTexts = 16;

void check_values(const Problem& problem) {
  int64_t elements = 0;
  for (const OperandShape& operand : operand_shapes(problem)) {
    const auto count = elements_in(operand.dimensions);
    if (!count) std::abort();
    elements = std::max(elements, *count);
  }
  if (elements > kMostMade) return;
  const std::vector<PlainTensor> operands = make_operands(problem);
  const auto size = elements_in(result_dimensions(problem));
  if (operands.empty() || !size || *size == 0 || *size > kMostMade) return;
  const std::vector<size_t> positions = {0, static_cast<size_t>(*size - 1)};
  if (reference_values(problem, operands, positions).size() > positions.size()) std::abort();
}

void check_text(std::string_view text) {
  const CallProblem found = problem_of_onednn_text(text);
  if (found.problem.empty()) return;
  const auto problem = Problem::parse(found.problem);
  if (!problem || problem->text() != found.problem) std::abort();
  check_values(*problem);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  for (size_t i = 0; i < kMostTexts && !rest.empty(); ++i) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    check_text(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return 0;
}
