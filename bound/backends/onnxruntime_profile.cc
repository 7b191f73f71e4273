#include "bound/backends/onnxruntime_profile.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bound/fusion/group_model.h"

namespace xsp::bound {
namespace {

using nlohmann::json;

constexpr std::string_view kKernelSuffix = "_kernel_time";

std::string text_of(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// One event of a node that counts in `run`.
struct NodeTime {
  OrtNode node;
  int64_t microseconds;
};

class ProfileReader {
 public:
  ProfileReader(bool has_transpose, OrtProfile* profile) : has_transpose_(has_transpose), profile_(profile) {}

  void add(const json& event) {
    if (!event.is_object()) return;
    const std::string category = text_of(event, "cat");
    const std::string name = text_of(event, "name");
    if (category == "Session" && name == "model_run") return end_run();
    if (category != "Node" || !name.ends_with(kKernelSuffix)) return;
    const auto arguments = event.find("args");
    const auto duration = event.find("dur");
    if (arguments == event.end() || !arguments->is_object() || duration == event.end() ||
        !duration->is_number_integer()) {
      return;
    }
    // ONNX Runtime calls a node that it has changed by what it writes.
    if (name.starts_with(kLayoutNode)) {
      profile_->has_layout_nodes = true;
      return;
    }
    const OrtNode node{text_of(*arguments, "op_name"), text_of(*arguments, "provider")};
    if (node.type.starts_with("Reorder")) {
      profile_->has_blocked_layout = true;
    } else if (!node.type.starts_with("Memcpy")) {
      run_.push_back({node, duration->get<int64_t>()});
    }
  }

 private:
  void end_run() {
    const auto is_transpose = [&](const NodeTime& time) { return !has_transpose_ && time.node.type == "Transpose"; };
    const size_t before = run_.size();
    if (std::any_of(run_.begin(), run_.end(), [&](const NodeTime& time) { return !is_transpose(time); })) {
      std::erase_if(run_, is_transpose);
    }
    if (run_.size() < before) profile_->has_channels_last = true;
    int64_t sum = 0;
    std::vector<OrtNode> nodes;
    for (const NodeTime& time : run_) {
      sum += time.microseconds;
      nodes.push_back(time.node);
    }
    if (profile_->nodes.empty()) profile_->nodes = std::move(nodes);
    profile_->runs_us.push_back(sum);
    run_.clear();
  }

  bool has_transpose_;
  OrtProfile* profile_;
  std::vector<NodeTime> run_;
};

}  // namespace

Status parse_ort_profile(std::string_view json_text, bool has_transpose, OrtProfile* profile) {
  const json events = json::parse(json_text, nullptr, false);
  if (!events.is_array()) return {"ONNX Runtime's profile cannot be read", ""};
  ProfileReader reader(has_transpose, profile);
  for (const json& event : events) reader.add(event);
  if (profile->runs_us.empty()) return {"ONNX Runtime's profile has no run", ""};
  return {};
}

}  // namespace xsp::bound
