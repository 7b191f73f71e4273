#include "analysis/timeline/mxnet_calls.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace xsp::analysis {
namespace {

/// What the guest calls a graph's run, and what it is in the name of a model.
struct GraphFunction {
  std::string_view function;
  std::string_view role;
};
constexpr GraphFunction kGraphFunctions[] = {
    {"CachedOp", "forward"},
    {"Executor.forward", "forward"},
    {"Predictor.forward", "forward"},
    {"backward", "backward"},
};

/// The words that all names begin with, "resnetv10" for "resnetv10_conv0_fwd" and "resnetv10_stage1_conv0_fwd". Empty
/// for one name alone.
class CommonWords {
 public:
  void add(std::string_view name) {
    if (count_++ == 0) {
      words_ = name;
      return;
    }
    size_t same = 0;
    while (same < words_.size() && same < name.size() && words_[same] == name[same]) ++same;
    if (same == words_.size() && (same == name.size() || name[same] == '_')) return;
    const size_t last = words_.substr(0, same).rfind('_');
    words_ = last == std::string_view::npos || same == 0 ? std::string_view() : words_.substr(0, last);
  }

  std::string_view words() const { return count_ > 1 ? words_ : std::string_view(); }

 private:
  std::string_view words_;
  size_t count_ = 0;
};

class MxnetCalls {
 public:
  MxnetCalls(const Parents& parents, Trace* trace) : parents_(parents), trace_(*trace), spans_(trace->spans) {}

  void run() {
    const uint32_t mxnet = trace_.strings.intern("MXNet");
    const uint32_t training = trace_.strings.intern("MXNet training");
    for (Row row = 0; row < spans_.size(); ++row) {
      if (spans_.kind[row] != Kind::kRun || (spans_.type[row] != mxnet && spans_.type[row] != training)) continue;
      spans_.scope[row] = 0;
      if (!role_of(row).empty()) calls_.push_back(row);
    }
    if (calls_.empty()) return;
    find_names();
    for (const Row call : calls_) {
      const auto& known = of_function_[spans_.name[call]];
      const auto own = words_.find(call);
      const bool is_unclear = own == words_.end() && known.size() != 1;
      const std::string model = is_unclear || known.empty() ? "" : own == words_.end() ? *known.begin() : own->second;
      if (!model.empty()) names_[call] = trace_.strings.intern(model + " (" + std::string(role_of(call)) + ")");
    }
    for (const auto& [call, name] : names_) spans_.name[call] = name;
  }

 private:
  std::string_view role_of(Row call) const {
    const std::string_view name = trace_.text(spans_.name[call]);
    const auto* found = std::find_if(std::begin(kGraphFunctions), std::end(kGraphFunctions),
                                     [&](const GraphFunction& known) { return known.function == name; });
    return found == std::end(kGraphFunctions) ? std::string_view() : found->role;
  }

  /// Not an operator that is called by its type, nor one that MXNet has made of several.
  bool has_own_name(Row row) const {
    const std::string_view name = trace_.text(spans_.name[row]);
    return spans_.name[row] != spans_.type[row] && !name.starts_with("sg_") && !name.starts_with("_");
  }

  void find_names() {
    if (calls_.empty()) return;
    std::unordered_map<Row, CommonWords> of_call;
    for (const Row call : calls_) of_call.try_emplace(call);
    for (Row row = 0; row < spans_.size(); ++row) {
      if (spans_.kind[row] != Kind::kOperator || spans_.level[row] != Level::kLayer) continue;
      const auto call = of_call.find(parents_.of[row]);
      if (call != of_call.end() && has_own_name(row)) call->second.add(trace_.text(spans_.name[row]));
    }
    for (const auto& [call, common] : of_call) {
      if (common.words().empty()) continue;
      words_[call] = common.words();
      of_function_[spans_.name[call]].insert(words_[call]);
    }
  }

  const Parents& parents_;
  Trace& trace_;
  SpanTable& spans_;
  std::vector<Row> calls_;
  std::unordered_map<Row, std::string> words_;
  std::map<uint32_t, std::set<std::string>> of_function_;
  std::map<Row, uint32_t> names_;
};

}  // namespace

void name_mxnet_calls(const Parents& parents, Trace* trace) { MxnetCalls(parents, trace).run(); }

}  // namespace xsp::analysis
