#include "analysis/iterations/operations.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>

#include "analysis/iterations/execution_order.h"
#include "analysis/timeline/intervals.h"
#include "analysis/timeline/kernel_names.h"
#include "analysis/trace/launch_configuration.h"

namespace xsp::analysis {
namespace {

/// What is known of an operation before its grid is read.
struct Description {
  uint32_t name = 0;
  uint32_t detail = 0;  // launch configuration or type
  Kind kind = Kind::kUnspecified;

  bool operator==(const Description&) const = default;
  size_t hash() const {
    const uint64_t key = (uint64_t{name} << 32 | detail) * 0x9e3779b97f4a7c15 ^ static_cast<uint64_t>(kind);
    return key ^ key >> 29;
  }
};
struct HashOfDescription {
  size_t operator()(const Description& description) const { return description.hash(); }
};

/// Numbers symbols in order of their first operation.
class Alphabet {
 public:
  Alphabet(const Trace& trace, SymbolChoice choice, Operations* operations)
      : trace_(trace), choice_(choice), operations_(*operations), recent_(kRecent) {}

  Symbol of(const Description& description) {
    Recent& recent = recent_[description.hash() % kRecent];
    if (!recent.known || recent.description != description) {
      recent = {description, find(description), true};
    }
    return recent.symbol;
  }

 private:
  /// Loops return to the same few thousand names: most lookups are one comparison.
  static constexpr size_t kRecent = 4096;
  struct Recent {
    Description description;
    Symbol symbol = 0;
    bool known = false;
  };

  Symbol find(const Description& description) {
    const auto [found, added] = known_.try_emplace(description);
    if (added) found->second = number(description);
    return found->second;
  }

  Symbol number(const Description& description) {
    const bool is_kernel = description.kind == Kind::kKernel;
    Description same = description;
    if (description.kind == Kind::kMemset) same.name = 0;
    if (choice_ == SymbolChoice::kName || description.kind == Kind::kMemcpy || description.kind == Kind::kMemset) {
      same.detail = 0;
    } else if (is_kernel) {
      const std::string_view grid = launch_configuration(trace_.text(description.detail)).grid;
      same.detail = grid.empty() ? 0 : grids_.try_emplace(grid, description.detail).first->second;
    }
    const auto [found, added] = symbols_.try_emplace(same, static_cast<Symbol>(operations_.alphabet.size()));
    if (added) {
      operations_.alphabet.push_back({.name = same.name,
                                      .configuration = is_kernel ? same.detail : 0,
                                      .type = is_kernel ? 0 : same.detail,
                                      .kind = same.kind});
      operations_.roles.push_back(role_of(description));
    }
    return found->second;
  }

  SymbolRole role_of(const Description& description) const {
    const std::string_view name = trace_.text(description.name);
    if (description.kind == Kind::kMemcpy) return copy_role(name);
    if (description.kind == Kind::kMemset) return SymbolRole::kMovement;
    const bool is_kernel = description.kind == Kind::kKernel;
    const bool optimizes = is_optimizer_name(name) || (!is_kernel && trace_.text(description.detail) == "Optimizer");
    return optimizes ? SymbolRole::kOptimizer : SymbolRole::kWork;
  }

  const Trace& trace_;
  SymbolChoice choice_;
  Operations& operations_;
  std::vector<Recent> recent_;
  std::unordered_map<Description, Symbol, HashOfDescription> known_;
  std::unordered_map<Description, Symbol, HashOfDescription> symbols_;
  std::unordered_map<std::string_view, uint32_t> grids_;  // a launch configuration with it
};

void add_symbols(const Trace& trace, SymbolChoice choice, size_t count, Operations* operations) {
  const SpanTable& spans = trace.spans;
  Alphabet alphabet(trace, choice, operations);
  const bool is_device = operations->source == OperationSource::kDevice;
  operations->symbols.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const Row row = operations->row(i);
    operations->symbols[i] =
        alphabet.of({spans.name[row], is_device ? spans.shape[row] : spans.type[row], spans.kind[row]});
  }
}

/// The rows of the thread on which they take the longest time, in order of begin.
std::vector<Row> of_busiest_thread(const Trace& trace, std::vector<Row> rows) {
  const SpanTable& spans = trace.spans;
  const auto earlier = [&](Row a, Row b) {
    return spans.begin[a] != spans.begin[b] ? spans.begin[a] < spans.begin[b]
           : spans.end[a] != spans.end[b]   ? spans.end[a] < spans.end[b]
                                            : a < b;
  };
  if (!std::is_sorted(rows.begin(), rows.end(), earlier)) std::sort(rows.begin(), rows.end(), earlier);
  std::map<uint32_t, UnionLength> busy;  // by thread
  for (const Row row : rows) busy[trace.tracks[spans.track[row]].thread].add(spans.begin[row], spans.end[row]);
  const auto busiest = std::max_element(
      busy.begin(), busy.end(), [](const auto& a, const auto& b) { return a.second.length() < b.second.length(); });
  std::erase_if(rows, [&](Row row) { return trace.tracks[spans.track[row]].thread != busiest->first; });
  return rows;
}

/// The layers of the tables.
std::vector<Row> layers_of(const Trace& trace, const Evaluations& evaluations, uint32_t process) {
  std::vector<Row> rows;
  for (const auto* layers : {&evaluations.layers, &evaluations.loose_layers, &evaluations.failed_layers}) {
    for (const Row row : *layers) {
      if (trace.process_of(row) == process) rows.push_back(row);
    }
  }
  return rows;
}

/// Library calls of a process that lie in no other one of their thread.
std::vector<Row> outermost_calls(const Trace& trace, uint32_t process) {
  const SpanTable& spans = trace.spans;
  std::map<uint32_t, std::vector<Row>> of_thread;
  for (Row row = 0; row < spans.size(); ++row) {
    if (!is_library_call(spans, row)) continue;
    const Track& track = trace.tracks[spans.track[row]];
    if (track.process == process) of_thread[track.thread].push_back(row);
  }
  std::vector<Row> outermost;
  for (auto& [thread, rows] : of_thread) {
    // Of spans with one begin the longer one is the outer one.
    std::sort(rows.begin(), rows.end(), [&](Row a, Row b) {
      return spans.begin[a] != spans.begin[b] ? spans.begin[a] < spans.begin[b] : spans.end[a] > spans.end[b];
    });
    int64_t latest_end = INT64_MIN;
    for (const Row row : rows) {
      if (spans.end[row] <= latest_end && spans.begin[row] < latest_end) continue;
      outermost.push_back(row);
      latest_end = std::max(latest_end, spans.end[row]);
    }
  }
  return outermost;
}

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
char lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

/// Words by which frameworks name weight updates. A star: other letters may follow.
constexpr std::array kOptimizers = {
    std::string_view("multi_tensor_*"), std::string_view("multitensorapply*"),
    std::string_view("lambstage*"),     std::string_view("adam"),
    std::string_view("adamw"),          std::string_view("adamax"),
    std::string_view("nadam"),          std::string_view("radam"),
    std::string_view("sgd*"),           std::string_view("lamb"),
    std::string_view("adagrad"),        std::string_view("adadelta"),
    std::string_view("rmsprop*"),       std::string_view("lars"),
    std::string_view("adafactor"),      std::string_view("optimizer*"),
    std::string_view("applygradient*"), std::string_view("applyadam*"),
    std::string_view("applymomentum*"), std::string_view("applyrms*"),
    std::string_view("applyada*"),      std::string_view("addcdiv*"),
};

/// Whether a word begins at `at`: not after a letter, unless a capital follows a small one.
bool begins_word(std::string_view name, size_t at) {
  if (at == 0) return true;
  const char before = name[at - 1];
  if (!is_lower(before) && !is_upper(before)) return true;
  return is_upper(name[at]) && (is_lower(before) || (at + 1 < name.size() && is_lower(name[at + 1])));
}

/// Whether a word ends before `end`: no small letter follows, nor a capital after a capital.
bool ends_word(std::string_view name, size_t end) {
  if (end >= name.size()) return true;
  if (is_lower(name[end])) return false;
  return !is_upper(name[end]) || !is_upper(name[end - 1]);
}

double time_of(const Trace& trace, const std::vector<Row>& rows) {
  double ns = 0;
  for (const Row row : rows) ns += static_cast<double>(trace.spans.duration(row));
  return ns;
}

bool has_word(std::string_view name, std::string_view word) {
  const bool is_open = word.ends_with('*');
  if (is_open) word.remove_suffix(1);
  for (size_t at = 0; at + word.size() <= name.size(); ++at) {
    size_t same = 0;
    while (same < word.size() && lower(name[at + same]) == word[same]) ++same;
    if (same == word.size() && begins_word(name, at) && (is_open || ends_word(name, at + same))) return true;
  }
  return false;
}

}  // namespace

bool is_optimizer_name(std::string_view name) {
  return std::any_of(kOptimizers.begin(), kOptimizers.end(),
                     [&](std::string_view word) { return has_word(name, word); });
}

SymbolRole copy_role(std::string_view kind_of_copy) {
  kind_of_copy = kind_of_copy.substr(0, kind_of_copy.find(" ("));
  if (kind_of_copy.ends_with("HtoD") || kind_of_copy.ends_with("HtoA")) return SymbolRole::kToDevice;
  if (kind_of_copy.ends_with("DtoH") || kind_of_copy.ends_with("AtoH")) return SymbolRole::kToHost;
  return SymbolRole::kMovement;
}

std::string symbol_text(const Trace& trace, const OperationSymbol& symbol) {
  const std::string_view name = trace.text(symbol.name);
  switch (symbol.kind) {
    case Kind::kKernel:
      return demangled(name);
    case Kind::kMemset:
      return "memset";
    case Kind::kMemcpy:
      break;
    default:
      return std::string(name);
  }
  switch (copy_role(name)) {
    case SymbolRole::kToDevice:
      return "copy to device";
    case SymbolRole::kToHost:
      return "copy to host";
    default:
      return name == "DtoD" ? "copy within device" : std::string("copy ").append(name);
  }
}

Operations operations_of(const Trace& trace, const Evaluations& evaluations, uint32_t process, SymbolChoice symbols) {
  Operations operations{.process = process};
  ExecutionOrder order = execution_order(trace, process);
  if (order.count != 0) {
    operations.source = OperationSource::kDevice;
    operations.executions = std::move(order.executions);
    operations.first_execution = order.first;
    operations.execution_rows = &trace.executions.row;
    add_symbols(trace, symbols, order.count, &operations);
    return operations;
  }
  operations.source = OperationSource::kLayer;
  std::vector<Row> rows = layers_of(trace, evaluations, process);
  if (rows.empty()) {
    operations.source = OperationSource::kLibrary;
    rows = outermost_calls(trace, process);
  }
  if (rows.empty()) {
    operations.source = OperationSource::kNone;
    return operations;
  }
  const double all_ns = time_of(trace, rows);
  operations.rows = of_busiest_thread(trace, std::move(rows));
  if (all_ns > 0) operations.elsewhere_pct = 100 * (1 - time_of(trace, operations.rows) / all_ns);
  add_symbols(trace, symbols, operations.rows.size(), &operations);
  return operations;
}

IdleTimes::IdleTimes(const Trace& trace, const Operations& operations) : trace_(trace), operations_(operations) {
  before_block_.reserve(operations.size() / kBlock + 1);
  int64_t latest = INT64_MIN;
  for (size_t i = 0; i < operations.size(); ++i) {
    if (i % kBlock == 0) before_block_.push_back(latest);
    latest = std::max(latest, end_of(i));
  }
}

int64_t IdleTimes::before(size_t operation) {
  if (operation == 0) return 0;
  if (seen_ > operation || operation - seen_ >= kBlock) {
    seen_ = operation / kBlock * kBlock;
    latest_ = before_block_[operation / kBlock];
  }
  for (; seen_ < operation; ++seen_) latest_ = std::max(latest_, end_of(seen_));
  return std::max<int64_t>(0, trace_.spans.begin[operations_.row(operation)] - latest_);
}

}  // namespace xsp::analysis
