#include "analysis/work/span_work.h"

#include "analysis/timeline/span_ids.h"
#include "analysis/trace/call_arguments.h"
#include "analysis/work/operator_work.h"

namespace xsp::analysis {
namespace {

std::string_view operator_name(const Trace& trace, Row row) {
  // The type of an operator is its name without the number of an instance.
  const uint32_t id = trace.spans.type[row] != 0 ? trace.spans.type[row] : trace.spans.name[row];
  return trace.text(id);
}

std::string_view inputs_of(const Trace& trace, Row row) {
  return row == kNoRow ? std::string_view() : CallArguments(trace, row).text("inputs").value_or("");
}

OperatorCall operator_call(const Trace& trace, Row row) {
  const CallArguments arguments(trace, row);
  OperatorCall call;
  call.name = operator_name(trace, row);
  call.inputs = arguments.text("inputs").value_or("");
  call.outputs = arguments.text("outputs").value_or("");
  call.values = arguments.text("values").value_or("");
  return call;
}

void add_number(uint64_t number, std::string* key) {
  key->append(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace

SpanWork::SpanWork(const Trace& trace, const Parents& parents) : trace_(trace), parents_(parents), works_(1) {}

const SpanWork::Layout& SpanWork::layout_of(uint32_t entry) {
  const ArgumentLayout& layout = trace_.arguments.layout(entry);
  if (&layout == last_layout_) return *last_;
  const auto [place, is_new] = layouts_.try_emplace(&layout);
  last_layout_ = &layout;
  last_ = &place->second;
  if (is_new) {
    place->second.is_operator = layout.find("inputs") != nullptr;
    for (const ArgumentField& field : layout.fields) {
      if (field.kind == ArgumentField::Kind::kAddress) place->second.addresses.emplace_back(field.offset, field.width);
    }
  }
  return place->second;
}

/// What two spans of one work have in common: their values but for addresses.
void SpanWork::add_arguments(Row row, std::string* key) {
  const uint32_t entry = row == kNoRow ? SpanTable::kNoArguments : trace_.spans.arguments_of(row);
  if (entry == SpanTable::kNoArguments) {
    add_number(0, key);
    return;
  }
  const Layout& layout = layout_of(entry);
  const std::string_view values = trace_.arguments.values(entry);
  add_number(values.size() + 1, key);
  add_number(reinterpret_cast<uintptr_t>(&trace_.arguments.layout(entry)), key);
  const size_t begin = key->size();
  key->append(values);
  for (const auto& [offset, width] : layout.addresses) {
    if (offset + width <= values.size()) key->replace(begin + offset, width, width, '\0');
  }
}

uint32_t SpanWork::remember(const std::string& key, const std::optional<CallWork>& found) {
  uint32_t number = 0;
  if (found) {
    number = static_cast<uint32_t>(works_.size());
    works_.push_back(*found);
  }
  numbers_.emplace(key, number);
  return number;
}

uint32_t SpanWork::number_of(Row row) {
  const uint32_t entry = trace_.spans.arguments_of(row);
  if (entry == SpanTable::kNoArguments) return 0;
  const bool is_operator = layout_of(entry).is_operator;
  if (!is_operator && trace_.spans.level[row] != Level::kLibrary) return 0;
  key_.clear();  // kept: most spans have been seen before
  add_number(uint64_t{trace_.spans.name[row]} << 32 | trace_.spans.type[row], &key_);
  add_arguments(row, &key_);
  const auto known = numbers_.find(key_);
  uint32_t number = 0;
  if (known == numbers_.end()) {
    const auto found = is_operator ? as_call(operator_work(operator_call(trace_, row))) : call_work(trace_, row);
    number = remember(key_, found);
  } else {
    number = known->second;
  }
  const bool is_complete = number != 0 && works_[number].work.has_bytes;
  if (is_complete || !is_operator || !has_operator_formula(operator_name(trace_, row))) return number;
  const uint32_t with_surroundings = compute_with_surroundings(row);
  return with_surroundings != 0 ? with_surroundings : number;
}

uint32_t SpanWork::compute_with_surroundings(Row row) {
  Row enclosing = parents_.of[row];
  const Row gradient = gradient_of(row);
  const auto is_operator = [&](Row at) {
    const uint32_t entry = trace_.spans.arguments_of(at);
    return entry != SpanTable::kNoArguments && layout_of(entry).is_operator;
  };
  if (enclosing != kNoRow && !is_operator(enclosing)) enclosing = kNoRow;
  if (enclosing == kNoRow && gradient == kNoRow) return 0;
  std::string key;
  add_number(uint64_t{trace_.spans.name[row]} << 32 | trace_.spans.type[row], &key);
  for (const Row at : {row, enclosing, gradient}) add_arguments(at, &key);
  const auto known = numbers_.find(key);
  if (known != numbers_.end()) return known->second;
  OperatorCall call = operator_call(trace_, row);
  call.enclosing_inputs = inputs_of(trace_, enclosing);
  call.gradient_inputs = inputs_of(trace_, gradient);
  return remember(key, as_call(operator_work(call)));
}

Row SpanWork::gradient_of(Row row) {
  const SpanTable& spans = trace_.spans;
  if (!gradients_) {
    gradients_.emplace();
    if (!spans.forward.empty()) {
      const SpanIds ids(trace_);
      for (Row backward = 0; backward < spans.forward.size(); ++backward) {
        const uint64_t link = spans.forward[backward];
        if (link == 0) continue;
        const Row forward =
            ids.find(trace_.process_of(backward), {static_cast<uint32_t>(link >> 32), static_cast<uint32_t>(link)});
        if (forward != kNoRow) gradients_->try_emplace(forward, backward);
      }
    }
  }
  // The link may lead to an operator that only calls this one.
  for (int depth = 0; row != kNoRow && depth < kMaxDepth && !gradients_->empty(); ++depth, row = parents_.of[row]) {
    if (const auto found = gradients_->find(row); found != gradients_->end()) return found->second;
    if (spans.arguments_of(row) == SpanTable::kNoArguments) break;
  }
  return kNoRow;
}

}  // namespace xsp::analysis
