#include "analysis/compare/condition.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "analysis/tables/model_information.h"
#include "analysis/tables/registry.h"

namespace xsp::analysis {
namespace {

using Kind = ConditionNode::Kind;

bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_of_word(char c) { return begins_word(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Recursive descent, one function a level of precedence.
class Parser {
 public:
  using Node = std::optional<size_t>;  // nothing: it failed

  Parser(std::string_view text, Condition* condition) : text_(text), condition_(*condition) {}

  Status run() {
    const Node root = disjunction();
    if (root && !at_end()) fail("what follows is not understood");
    if (root && problem_.empty() && condition_.references.empty()) {
      place_ = 0;
      fail("it names no value of a table, such as A1.latency_ms");
    }
    if (problem_.empty()) {
      condition_.root = *root;
      resolve_bases();
      return {};
    }
    std::string where;
    if (failed_at_ != 0) {
      where = failed_at_ >= text_.size() ? " at its end" : " at '" + std::string(text_.substr(failed_at_)) + "'";
    }
    if (!hint_.empty()) return {"--fail-if '" + std::string(text_) + "': " + problem_, hint_};
    return {"--fail-if '" + std::string(text_) + "': " + problem_ + where,
            "such as: --fail-if 'A1.latency_ms > 20', --fail-if 'A2[conv*].latency_ms > 1.05*base and significant'"};
  }

 private:
  Node fail(std::string problem) {
    if (problem_.empty()) {
      problem_ = std::move(problem);
      skip_spaces();
      failed_at_ = place_;
    }
    return {};
  }

  void skip_spaces() {
    while (place_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[place_])) != 0) ++place_;
  }
  bool at_end() {
    skip_spaces();
    return place_ == text_.size();
  }
  bool take(std::string_view symbol) {
    skip_spaces();
    if (!text_.substr(place_).starts_with(symbol)) return false;
    place_ += symbol.size();
    return true;
  }
  std::string_view word() {
    const size_t begin = place_;
    while (place_ < text_.size() && is_of_word(text_[place_])) ++place_;
    return text_.substr(begin, place_ - begin);
  }
  bool take_word(std::string_view wanted) {
    skip_spaces();
    const size_t begin = place_;
    if (word() == wanted) return true;
    place_ = begin;
    return false;
  }

  Node add(ConditionNode node) {
    condition_.nodes.push_back(std::move(node));
    return condition_.nodes.size() - 1;
  }
  Node join(Kind kind, Node left, Node right) {
    if (!left || !right) return {};
    return add({.kind = kind, .left = *left, .right = *right});
  }

  Node disjunction() {
    Node left = conjunction();
    while (left && take_word("or")) left = join(Kind::kOr, left, conjunction());
    return left;
  }

  Node conjunction() {
    Node left = negation();
    while (left && take_word("and")) left = join(Kind::kAnd, left, negation());
    return left;
  }

  Node negation() {
    if (++depth_ > kDeepest) return fail("it is nested too deeply");
    const Node node = take_word("not") ? apply(Kind::kNot, negation()) : comparison();
    --depth_;
    return node;
  }

  Node apply(Kind kind, Node operand) {
    if (!operand) return {};
    return add({.kind = kind, .left = *operand});
  }

  Node comparison() {
    static constexpr std::pair<std::string_view, Kind> kSymbols[] = {
        {"<=", Kind::kLessOrEqual}, {">=", Kind::kGreaterOrEqual}, {"==", Kind::kEqual}, {"!=", Kind::kNotEqual},
        {"<", Kind::kLess},         {">", Kind::kGreater}};
    const Node left = sum();
    if (!left) return {};
    for (const auto& [symbol, kind] : kSymbols) {
      if (take(symbol)) return join(kind, left, sum());
    }
    return left;
  }

  Node sum() {
    Node left = product();
    while (left) {
      if (take("+")) {
        left = join(Kind::kAdd, left, product());
      } else if (take("-")) {
        left = join(Kind::kSubtract, left, product());
      } else {
        break;
      }
    }
    return left;
  }

  Node product() {
    Node left = factor();
    while (left) {
      if (take("*")) {
        left = join(Kind::kMultiply, left, factor());
      } else if (take("/")) {
        left = join(Kind::kDivide, left, factor());
      } else {
        break;
      }
    }
    return left;
  }

  Node factor() {
    if (++depth_ > kDeepest) return fail("it is nested too deeply");
    const Node node = take("-") ? apply(Kind::kNegate, factor()) : value();
    --depth_;
    return node;
  }

  Node value() {
    if (at_end()) return fail("a value is missing");
    const char next = text_[place_];
    if (take("(")) {
      const Node inner = disjunction();
      if (!inner) return {};
      return take(")") ? inner : fail("a ')' is missing");
    }
    if (std::isdigit(static_cast<unsigned char>(next)) != 0 || next == '.') return number();
    if (next == '"' || next == '\'') {
      std::string text;
      if (!quoted(&text)) return {};
      return add({.kind = Kind::kText, .text = std::move(text)});
    }
    if (!begins_word(next)) return fail("a value is missing");
    return named_value();
  }

  Node number() {
    double number = 0;
    const auto [end, failure] = std::from_chars(text_.data() + place_, text_.data() + text_.size(), number);
    if (failure != std::errc()) return fail("a number is not understood");
    place_ = static_cast<size_t>(end - text_.data());
    if (place_ < text_.size() && is_of_word(text_[place_])) return fail("numbers have no units");
    return add({.number = number});
  }

  bool quoted(std::string* text) {
    const size_t end = text_.find(text_[place_], place_ + 1);
    if (end == std::string_view::npos) {
      fail("a quotation mark is missing");
      return false;
    }
    *text = text_.substr(place_ + 1, end - place_ - 1);
    place_ = end + 1;
    return true;
  }

  Node named_value() {
    const size_t begin = place_;
    const std::string_view name = word();
    if (name == "true" || name == "false") return add({.kind = Kind::kTruth, .number = name == "true" ? 1.0 : 0.0});
    if (name == "significant") {
      condition_.needs_base = true;
      return add({.kind = Kind::kSignificant});
    }
    TableOperand reference;
    if (name == "base") {
      condition_.needs_base = true;
      if (place_ == text_.size() || text_[place_] != '.') {
        return add({.kind = Kind::kBase, .reference = last_of_fresh_});
      }
      ++place_;
      reference.of_base = true;
      return table_operand(place_, word(), std::move(reference));
    }
    return table_operand(begin, name, std::move(reference));
  }

  /// A column without its table is the most common mistake.
  static std::string hint_for(std::string_view word, const Status& unknown) {
    for (const TableDefinition* table : analyses()) {
      if (table->column(word) != nullptr) {
        return std::string("did you mean ").append(table->id).append(".").append(word).append("?");
      }
    }
    return unknown.hint;
  }

  Node table_operand(size_t begin, std::string_view table, TableOperand reference) {
    std::vector<const TableDefinition*> chosen;
    const std::vector<std::string> ids = {std::string(table)};
    if (Status status = choose_analyses(ids, &chosen); !status.ok() || chosen.size() != 1) {
      place_ = begin;
      if (!status.ok() && problem_.empty()) hint_ = hint_for(table, status);
      return fail(status.ok() ? "a table is missing" : status.error);
    }
    reference.table = chosen.front()->id;
    if (place_ < text_.size() && text_[place_] == '[' && !selector(&reference)) return {};
    if (place_ == text_.size() || text_[place_] != '.') {
      return fail(std::string("a column is missing behind ")
                      .append(reference.table)
                      .append(", such as .")
                      .append(kUsualColumn));
    }
    ++place_;
    reference.column = word();
    if (reference.column.empty()) return fail("a column is missing");
    const size_t number = condition_.references.size();
    if (!reference.of_base) last_of_fresh_ = number;
    condition_.references.push_back(std::move(reference));
    return add({.kind = Kind::kReference, .reference = number});
  }

  /// "[conv*]"; names may contain brackets in pairs, and anything in quotation marks.
  bool selector(TableOperand* reference) {
    reference->selects = true;
    ++place_;
    if (place_ < text_.size() && (text_[place_] == '"' || text_[place_] == '\'')) {
      if (!quoted(&reference->selector)) return false;
      if (place_ < text_.size() && text_[place_] == ']') {
        ++place_;
        return true;
      }
    } else {
      const size_t begin = place_;
      for (int open = 1; place_ < text_.size(); ++place_) {
        open += text_[place_] == '[' ? 1 : text_[place_] == ']' ? -1 : 0;
        if (open != 0) continue;
        reference->selector = text_.substr(begin, place_++ - begin);
        return true;
      }
    }
    fail("a ']' is missing");
    return false;
  }

  /// `base` stands for the reference before it or, if there is none, for the first one.
  void resolve_bases() {
    const auto& references = condition_.references;
    const auto first =
        std::find_if(references.begin(), references.end(), [](const TableOperand& one) { return !one.of_base; });
    for (ConditionNode& node : condition_.nodes) {
      if (node.kind != Kind::kBase || node.reference != kNone) continue;
      node.reference = first == references.end() ? 0 : static_cast<size_t>(first - references.begin());
    }
  }

  static constexpr size_t kNone = SIZE_MAX;
  static constexpr int kDeepest = 200;
  static constexpr std::string_view kUsualColumn = kA1.latency_ms.name;

  std::string_view text_;
  Condition& condition_;
  size_t place_ = 0;
  size_t failed_at_ = 0;
  size_t last_of_fresh_ = kNone;
  int depth_ = 0;
  std::string problem_;
  std::string hint_;  // empty: an example
};

}  // namespace

Status parse_condition(std::string_view text, Condition* condition) {
  condition->text = text;
  return Parser(text, condition).run();
}

}  // namespace xsp::analysis
