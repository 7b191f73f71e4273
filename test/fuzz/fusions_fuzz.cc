/// Entry for the groups of layers that are found in a model, their bounds, and what is measured of it in other types.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "bound/advice/what_if.h"
#include "bound/bounds/bounds.h"
#include "bound/fusion/fused_groups.h"
#include "bound/model/layered_model.h"
#include "bound/model/precision_problem.h"
#include "bound/onnx/model_file.h"
#include "bound/problems/problem.h"

namespace {

using namespace xsp::bound;

constexpr size_t kMostLayers = 200;

bool reads_as_itself(const std::string& text) {
  const auto problem = Problem::parse(text);
  return problem && problem->text() == text;
}

bool is_sound(const FusedGroup& group, const LayeredModel& model) {
  Model own;
  return group.layers.size() >= 2 && std::ranges::is_sorted(group.layers, std::less_equal<>()) &&
         group.layers.back() < model.layers.size() && reads_as_itself(group.problem) &&
         (group.model.empty() || parse_model(group.model, &own).ok());
}

LayerTime time_of(double milliseconds) {
  LayerTime time;
  time.bound_ms = milliseconds;
  time.counts = true;
  return time;
}

void check_bounds(const LayeredModel& model, const std::vector<FusedGroup>& groups) {
  std::vector<LayerTime> times;
  for (size_t i = 0; i < model.layers.size(); ++i) {
    times.push_back(has_work(model.layers[i].layer_class) ? time_of(1 + static_cast<double>(i % 7)) : LayerTime());
  }
  std::vector<LayerTime> group_times;
  for (size_t i = 0; i < groups.size(); ++i) group_times.push_back(time_of(1 + static_cast<double>(i % 5)));
  const Bounds bounds = make_bounds(model, times, {.groups = groups, .group_times = group_times});
  if (!bounds.contradiction.empty()) std::abort();
  for (const std::string& precision : precision_names()) {
    for (const WorkItem& item : precision_items(bounds, precision)) {
      if (!reads_as_itself(item.problem)) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int fd = ::memfd_create("model", MFD_CLOEXEC);
  if (fd < 0 || ::write(fd, data, size) != static_cast<ssize_t>(size)) return 0;
  LayeredModel model;
  const xsp::Status status = take_apart("/proc/self/fd/" + std::to_string(fd), {}, &model);
  ::close(fd);
  if (!status.ok() || model.layers.size() > kMostLayers) return 0;
  const std::vector<FusedGroup> groups = find_fusions(model);
  for (const FusedGroup& group : groups) {
    if (!is_sound(group, model)) std::abort();
  }
  check_bounds(model, groups);
  return 0;
}
