#include "bound/advice/implementation_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/quantity_text.h"
#include "bound/advice/used_implementation.h"
#include "bound/model/layer_work.h"
#include "bound/onnx/element_type.h"
#include "bound/problems/operand_shapes.h"

namespace xsp::bound {
namespace {

constexpr double kNsPerMs = 1e6;

/// Of a product or convolution; nothing for other problems.
std::optional<Problem> product_of_call(const TraceCall& call) {
  auto problem = Problem::parse(call.problem);
  if (!problem) return {};
  const std::string& kind = problem->kind();
  return kind == "conv" || kind == "deconv" || kind == "matmul" ? std::move(problem) : std::nullopt;
}

double ms_of(const Measurement& row) { return row.best_ns() / kNsPerMs; }

std::string text_of(const Measurement& row) {
  const std::string_view rounding = row.numerics == Numerics::kExact ? "" : ", other rounding";
  return fmt::format("{} {} {} ({}){}", row.library, row.library_version, row.implementation, row.layout, rounding);
}

/// The benchmark that stands for what is called `used` in the trace.
std::string benchmark_text(const Measurement& row, const std::string& used) {
  if (row.implementation != used) return text_of(row);
  return fmt::format("{} {} ({})", row.library, row.library_version, row.layout);
}

/// What a library proposes first for the problem, of what may count.
const Measurement* first_choice(const std::vector<Measurement>& rows, const Measurement& of_library,
                                const LookUp& look_up) {
  const auto found = std::ranges::find_if(rows, [&](const Measurement& row) {
    return row.library == of_library.library && row.library_version == of_library.library_version && has_time(row) &&
           may_count(row, look_up);
  });
  return found == rows.end() ? nullptr : &*found;
}

ImplementationChoice choice_of(const JoinedTrace& trace, size_t index, const Problem& problem, const Database& database,
                               const LookUp& look_up) {
  const TraceCall& call = trace.calls[index];
  ImplementationChoice choice;
  choice.call = index;
  choice.used = call.implementation;
  const Found found = database.find(call.problem, look_up);
  if (found.hot) {
    choice.best = text_of(*found.hot);
    choice.best_ms = ms_of(*found.hot);
    choice.is_best_exact = found.hot->numerics == Numerics::kExact;
  } else {
    choice.reason = found.reason;
    return choice;
  }
  const std::vector<Measurement> rows = database.rows(call.problem, look_up);
  const UsedImplementation used = find_used(trace, call, problem, rows);
  if (used.library != nullptr) {
    if (const Measurement* const first = first_choice(rows, *used.library, look_up)) {
      choice.heuristic = text_of(*first);
      choice.heuristic_ms = ms_of(*first);
    }
  }
  if (used.row == nullptr) {
    choice.reason = used.reason;
    return choice;
  }
  choice.library = fmt::format("{} {}", used.row->library, used.row->library_version);
  choice.benchmark = benchmark_text(*used.row, call.implementation);
  choice.used_ms = ms_of(*used.row);
  if (may_count(*used.row, look_up)) {
    choice.loss_ms = *choice.used_ms - *choice.best_ms;
  } else {
    choice.reason = "what was used rounds otherwise than the best may";
  }
  return choice;
}

double bytes_of_problem(const Problem& problem) {
  double bytes = 0;
  const auto add = [&bytes](std::string_view element, const Dimensions& sizes) {
    const double each = bytes_of(element_type_named(element).value_or(ElementType::kUndefined));
    bytes += each * static_cast<double>(elements_in(sizes).value_or(0));
  };
  for (const OperandShape& operand : operand_shapes(problem)) add(operand.element, operand.dimensions);
  add(problem.types().destination, checked_result_dimensions(problem).value_or(Dimensions()));
  return bytes;
}

WorkItem item_of(const Problem& problem) {
  WorkItem item;
  item.problem = problem.text();
  item.flops = 2 * multiply_adds_of(problem);
  item.bytes = bytes_of_problem(problem);
  return item;
}

}  // namespace

std::vector<ImplementationChoice> implementation_choices(const JoinedTrace& trace, const Database& database,
                                                         const LookUp& look_up) {
  std::vector<ImplementationChoice> choices;
  // A model calls the same again and again.
  std::unordered_map<std::string, size_t> known;
  for (size_t index = 0; index < trace.calls.size(); ++index) {
    const TraceCall& call = trace.calls[index];
    const auto problem = product_of_call(call);
    if (!problem) continue;
    const std::string key =
        fmt::format("{}\n{}\n{}\n{}\n{}", call.library, call.function, call.problem, call.implementation, call.layout);
    const auto [earlier, is_new] = known.try_emplace(key, choices.size());
    choices.push_back(is_new ? choice_of(trace, index, *problem, database, look_up) : choices[earlier->second]);
    choices.back().call = index;
  }
  return choices;
}

std::vector<WorkItem> call_items(const JoinedTrace& trace) {
  struct Calls {
    size_t item = 0;
    size_t count = 0;
    std::string function;
  };
  std::vector<WorkItem> items;
  std::unordered_map<std::string, Calls> known;
  for (const TraceCall& call : trace.calls) {
    const auto problem = product_of_call(call);
    if (!problem) continue;
    const auto [calls, is_new] = known.try_emplace(call.problem, Calls{items.size(), 0, call.function});
    ++calls->second.count;
    if (is_new) items.push_back(item_of(*problem));
  }
  const std::string subject = trace.subject.substr(0, trace.subject.find(','));
  for (const auto& [problem, calls] : known) {
    items[calls.item].of =
        fmt::format("{}{}{}, {}", subject, subject.empty() ? "" : ": ", calls.function, plural(calls.count, "call"));
  }
  return items;
}

}  // namespace xsp::bound
