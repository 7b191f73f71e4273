#include "analysis/timeline/kernel_scopes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/timeline/graph_names.h"

namespace xsp::analysis {
namespace {

/// A function that Keras 2 or 3 makes for one of a model's methods, and one without a name.
struct KerasFunction {
  std::string_view function;
  std::string_view method;
};
constexpr KerasFunction kKerasFunctions[] = {
    {"predict_function", "predict"},
    {"one_step_on_data_distributed", "predict"},
    {"multi_step_on_data", "predict"},
    {"train_function", "fit"},
    {"test_function", "evaluate"},
    {"one_step_on_iterator", "fit or evaluate"},
    {"multi_step_on_iterator", "fit or evaluate"},
    {"<lambda>", "<lambda>"},
};

/// Between kernels of one layer the executor runs those that compute nothing. A longer gap is no work of the layer's.
constexpr int64_t kLongestGapNs = 20'000;

bool is_product(std::string_view type) {
  for (const char* part : {"MatMul", "Conv", "Einsum"}) {
    if (type.find(part) != std::string_view::npos) return true;
  }
  return false;
}

class KernelScopes {
 public:
  KernelScopes(Parents* parents, Trace* trace) : parents_(*parents), trace_(*trace), spans_(trace->spans) {}

  void run(bool joins) {
    find_kernels();
    if (kernels_.empty()) return;
    std::sort(kernels_.begin(), kernels_.end(), [&](Row a, Row b) { return place_of(a) < place_of(b); });
    for (const Row row : kernels_) scopes_.add(name_of(row));
    name_calls();
    if (!joins) return;
    find_layers();
    for (size_t first = 0; first < kernels_.size();) {
      const size_t behind = end_of_piece(first);
      if (layer_of_row(kernels_[first]) != 0) pieces_.push_back({first, behind});
      first = behind;
    }
    find_types();
    append_spans();
  }

 private:
  struct Piece {
    size_t first;  // of kernels_
    size_t behind;
  };
  /// The kernels' names of a piece: the same piece in each call.
  using Names = std::vector<uint32_t>;

  void find_kernels() {
    const uint32_t tensorflow = trace_.strings.intern("TensorFlow");
    for (Row row = 0; row < spans_.size(); ++row) {
      if (spans_.kind[row] == Kind::kRun && spans_.type[row] == tensorflow) {
        calls_.push_back(row);
        spans_.scope[row] = 0;
      }
      if (spans_.kind[row] != Kind::kOperator || spans_.level[row] != Level::kLayer) continue;
      const Row run = parents_.of[row];
      if (run == kNoRow || spans_.kind[run] != Kind::kRun || spans_.type[run] != tensorflow) continue;
      kernels_.push_back(row);
      take_input(row, run);
    }
  }

  /// What a step of fit is given it takes from an iterator itself.
  void take_input(Row kernel, Row call) {
    const bool is_iterator = trace_.text(spans_.type[kernel]) == "IteratorGetNext";
    if (is_iterator && spans_.input[call] == 0) spans_.input[call] = spans_.shape[kernel];
  }

  std::string_view name_of(Row kernel) const { return name_in_function(trace_.text(spans_.name[kernel])); }

  /// Layers by name of kernel; scopes that are none are left out.
  void find_layers() {
    std::map<std::string, std::vector<std::pair<uint32_t, bool>>> layers;  // with the names of kernels in them
    for (const Row row : kernels_) {
      const auto [entry, is_new] = layer_of_name_.try_emplace(spans_.name[row], 0);
      if (!is_new) continue;
      const std::string name(name_of(row));
      const std::string_view scope =
          name.find('/') == std::string::npos ? "" : std::string_view(name).substr(0, name.rfind('/'));
      const std::string plain = scope.empty() ? name : scopes_.plain(scope) + name.substr(scope.size());
      if (plain != trace_.text(spans_.name[row])) entry->second = trace_.strings.intern(plain);
      const std::string_view layer = scopes_.layer_of(name);
      const bool is_gradient = name.starts_with(kGradientScope);  // of which a layer has one for each of its inputs
      const bool counts = !is_gradient && is_product(trace_.text(spans_.type[row]));
      if (!layer.empty()) layers[std::string(layer)].emplace_back(entry->first, counts);
    }
    std::unordered_set<std::string_view> around;
    for (const auto& [layer, kernels] : layers) {
      for (size_t slash = layer.rfind('/'); slash != std::string::npos && slash != 0;
           slash = layer.rfind('/', slash - 1)) {
        around.insert(std::string_view(layer).substr(0, slash));
      }
    }
    for (const auto& [layer, kernels] : layers) {
      const auto products =
          std::count_if(kernels.begin(), kernels.end(), [](const auto& kernel) { return kernel.second; });
      if (around.contains(layer) || products > 1) continue;
      const uint32_t text = trace_.strings.intern(scopes_.plain(layer));
      for (const auto& [name, product] : kernels) layer_of_name_[name] = text;
    }
  }

  uint32_t layer_of_row(Row row) const { return layer_of_name_.at(spans_.name[row]); }

  std::tuple<Row, uint32_t, int64_t, Row> place_of(Row row) const {
    return {parents_.of[row], spans_.track[row], spans_.begin[row], row};
  }

  size_t end_of_piece(size_t first) const {
    const auto key = [&](Row row) { return std::tuple(parents_.of[row], spans_.track[row], layer_of_row(row)); };
    int64_t end = spans_.end[kernels_[first]];
    size_t at = first + 1;
    while (at < kernels_.size() && key(kernels_[at]) == key(kernels_[first]) &&
           spans_.begin[kernels_[at]] - end <= kLongestGapNs) {
      end = std::max(end, spans_.end[kernels_[at++]]);
    }
    return at;
  }

  Names names_of(const Piece& piece) const {
    Names names;
    for (size_t i = piece.first; i < piece.behind; ++i) names.push_back(spans_.name[kernels_[i]]);
    return names;
  }

  void find_types() {
    std::map<Names, std::map<uint32_t, int64_t>> times;
    for (const Piece& piece : pieces_) {
      std::map<uint32_t, int64_t>& of_piece = times[names_of(piece)];
      for (size_t i = piece.first; i < piece.behind; ++i) {
        of_piece[spans_.type[kernels_[i]]] += spans_.duration(kernels_[i]);
      }
    }
    for (const auto& [names, by_type] : times) {
      types_[names] = std::max_element(by_type.begin(), by_type.end(), [](const auto& a, const auto& b) {
                        return a.second < b.second;
                      })->first;
    }
  }

  std::string_view method_of(Row run) const {
    const std::string_view name = trace_.text(spans_.name[run]);
    const auto* found = std::find_if(std::begin(kKerasFunctions), std::end(kKerasFunctions),
                                     [&](const KerasFunction& known) { return known.function == name; });
    return found == std::end(kKerasFunctions) ? std::string_view() : found->method;
  }

  /// The scope in which most of the time of a call's kernels is; gradients have one around the model's.
  std::string model_of(std::span<const Row> kernels) const {
    std::map<std::string_view, int64_t> times;
    for (const Row kernel : kernels) {
      std::string_view name = name_of(kernel);
      if (name.starts_with(kGradientScope)) name.remove_prefix(kGradientScope.size());
      const std::string_view scope = name.substr(0, name.find('/'));
      if (scope.size() != name.size()) times[scope] += spans_.duration(kernel);
    }
    if (times.empty()) return "";
    const auto most =
        std::max_element(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return scopes_.plain(most->first);
  }

  /// Calls without kernels, as of the runs of a set that record fewer levels, have the same name as the others: if it
  /// is not known which, all keep their function's.
  void name_calls() {
    std::unordered_map<Row, std::string> models;  // by call
    std::map<uint32_t, std::set<std::string>> of_function;
    for (size_t first = 0; first < kernels_.size();) {
      const Row call = parents_.of[kernels_[first]];
      size_t behind = first;
      while (behind < kernels_.size() && parents_.of[kernels_[behind]] == call) ++behind;
      if (!method_of(call).empty()) {
        models[call] = model_of(std::span(kernels_).subspan(first, behind - first));
        of_function[spans_.name[call]].insert(models[call]);
      }
      first = behind;
    }
    for (const Row call : calls_) {
      const auto known = of_function.find(spans_.name[call]);
      if (known == of_function.end()) continue;
      const auto own = models.find(call);
      if (own == models.end() && known->second.size() > 1) of_function.erase(known);
    }
    for (const Row call : calls_) {
      const auto known = of_function.find(spans_.name[call]);
      if (known == of_function.end()) continue;
      const auto own = models.find(call);
      const std::string model = own != models.end() ? own->second : *known->second.begin();
      const std::string method(method_of(call));
      if (!model.empty()) spans_.name[call] = trace_.strings.intern(model + " (" + method + ")");
    }
  }

  void add_bytes(Row kernel, Row layer) {
    const auto bytes = spans_.bytes[kernel];
    if (bytes == SpanTable::kUnknownBytes) return;
    spans_.bytes[layer] = bytes + (spans_.bytes[layer] == SpanTable::kUnknownBytes ? 0 : spans_.bytes[layer]);
  }

  void append_spans() {
    Row row = static_cast<Row>(spans_.size());
    spans_.resize(row + pieces_.size());
    parents_.of.resize(spans_.size(), kNoRow);
    if (!parents_.forward.empty()) parents_.forward.resize(spans_.size(), kNoRow);
    for (const Piece& piece : pieces_) {
      const Row first = kernels_[piece.first];
      spans_.begin[row] = spans_.begin[first];
      spans_.bytes[row] = SpanTable::kUnknownBytes;
      spans_.name[row] = layer_of_row(first);
      spans_.type[row] = types_.at(names_of(piece));
      spans_.track[row] = spans_.track[first];
      spans_.scope[row] = spans_.scope[first];
      spans_.level[row] = Level::kLayer;
      spans_.kind[row] = Kind::kOperator;
      parents_.of[row] = parents_.of[first];
      for (size_t i = piece.first; i < piece.behind; ++i) {
        const Row kernel = kernels_[i];
        spans_.end[row] = std::max(spans_.end[row], spans_.end[kernel]);
        if (spans_.shape[kernel] != 0) spans_.shape[row] = spans_.shape[kernel];
        add_bytes(kernel, row);
        spans_.level[kernel] = Level::kApplication;
        parents_.of[kernel] = row;
      }
      ++row;
    }
  }

  Parents& parents_;
  Trace& trace_;
  SpanTable& spans_;
  GraphScopes scopes_;
  std::vector<Row> calls_;
  std::vector<Row> kernels_;
  std::unordered_map<uint32_t, uint32_t> layer_of_name_;  // 0: the kernel is a layer itself
  std::vector<Piece> pieces_;
  std::map<Names, uint32_t> types_;
};

}  // namespace

void join_kernels_of_scopes(bool joins, Parents* parents, Trace* trace) { KernelScopes(parents, trace).run(joins); }

}  // namespace xsp::analysis
