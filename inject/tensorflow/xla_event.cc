#include "inject/tensorflow/xla_event.h"

namespace xsp::guest {
namespace {

constexpr std::string_view kEndMark = "end: ";
constexpr std::string_view kFollowing = "ThunkExecutor::Execute";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Value of a field behind the name, "#key=value,key=value#"; `key` has its '='. Empty if there is none.
std::string_view field(std::string_view fields, std::string_view key) {
  for (size_t at = fields.find(key); at != std::string_view::npos; at = fields.find(key, at + 1)) {
    if (at == 0 || (fields[at - 1] != '#' && fields[at - 1] != ',')) continue;
    const size_t begin = at + key.size();
    const size_t end = fields.find_first_of(",#", begin);
    return {fields.data() + begin, (end == std::string_view::npos ? fields.size() : end) - begin};
  }
  return {};
}

uint64_t number(std::string_view text) {
  uint64_t value = 0;
  for (const char digit : text) {
    if (!is_digit(digit)) return 0;
    value = value * 10 + static_cast<uint64_t>(digit - '0');
  }
  return value;
}

/// "dot" of "dot.12", and of "dot.12.clone".
std::string_view type_of(std::string_view operation) {
  constexpr std::string_view kClone = ".clone";
  if (operation.size() > kClone.size() && operation.ends_with(kClone)) operation.remove_suffix(kClone.size());
  const size_t last = operation.find_last_not_of("0123456789");
  const bool is_numbered =
      last != std::string_view::npos && last != 0 && last + 1 != operation.size() && operation[last] == '.';
  if (is_numbered) operation.remove_suffix(operation.size() - last);
  return operation;
}

}  // namespace

XlaEvent parse_xla_event(std::string_view name) {
  XlaEvent event;
  if (name == kFollowing) event.kind = XlaEvent::Kind::kFollowing;
  const size_t mark = name.find('#');
  if (mark == std::string_view::npos) return event;
  const std::string_view fields(name.data() + mark, name.size() - mark);
  if (name.starts_with(kEndMark)) {
    event.id = number(field(fields, "_c="));
    if (event.id != 0) event.kind = XlaEvent::Kind::kEnd;
    return event;
  }
  event.operation = field(fields, "hlo_op=");
  if (event.operation.empty()) return event;
  event.kind = XlaEvent::Kind::kOperation;
  event.type = type_of(event.operation);
  event.module = field(fields, "hlo_module=");
  event.id = number(field(fields, "_p="));
  return event;
}

}  // namespace xsp::guest
