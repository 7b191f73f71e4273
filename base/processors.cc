#include "base/processors.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string_view>

#include <sched.h>
#include <unistd.h>

#include "base/file_text.h"
#include "base/number_text.h"

namespace xsp {
namespace {

/// More processors than any kernel knows.
constexpr uint32_t kMostProcessors = 1 << 20;

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// What the files of a group say, where they limit it.
std::optional<double> quota_of(std::string_view quota, std::string_view period) {
  const auto quota_us = number_in<int64_t>(quota);
  const auto period_us = number_in<int64_t>(period);
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) return std::nullopt;
  return static_cast<double>(*quota_us) / static_cast<double>(*period_us);
}

std::optional<double> quota_of_group(const std::string& folder, bool is_version_2) {
  if (is_version_2) {
    const std::string text = text_of_file(folder + "/cpu.max");
    const std::vector<std::string_view> words = parts_of(text, ' ');
    return words.size() == 2 ? quota_of(words[0], words[1]) : std::nullopt;
  }
  return quota_of(text_of_file(folder + "/cpu.cfs_quota_us"), text_of_file(folder + "/cpu.cfs_period_us"));
}

/// The number of processors in a list, "0-3,8": 5; 0 for other text.
uint32_t count_of_list(const std::string& list) {
  uint64_t count = 0;
  for (const std::string_view range : parts_of(list, ',')) {
    const size_t dash = range.find('-');
    const auto first = number_in<uint32_t>(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number_in<uint32_t>(range.substr(dash + 1));
    if (!first || !last || *last < *first) return 0;
    count += uint64_t{*last} - *first + 1;
  }
  return count > kMostProcessors ? 0 : static_cast<uint32_t>(count);
}

uint32_t online_processors(const std::string& root) {
  const uint32_t listed = count_of_list(text_of_file(root + "/sys/devices/system/cpu/online"));
  if (listed != 0 || !root.empty()) return listed;
  return static_cast<uint32_t>(std::max(0L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

/// The first processor of the core that a processor is a thread of. Where files do not tell, it is a core by itself.
uint32_t core_of(const std::string& root, uint32_t processor) {
  const std::string folder = root + "/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/topology/";
  // The second name is that of kernels before 5.10, and is still there in later ones.
  for (const char* const name : {"core_cpus_list", "thread_siblings_list"}) {
    const std::string list = text_of_file(folder + name);
    const auto first = number_in<uint32_t>(std::string_view(list).substr(0, list.find_first_of(",-")));
    if (first) return *first;
  }
  return processor;
}

}  // namespace

std::vector<uint32_t> allowed_processors() {
  std::vector<uint32_t> allowed;
  // The kernel refuses a mask that is smaller than its own, however many processors there are.
  for (uint32_t most = 1024; most <= kMostProcessors; most *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> mask(CPU_ALLOC(most), [](cpu_set_t* set) { CPU_FREE(set); });
    const size_t size = CPU_ALLOC_SIZE(most);
    if (mask == nullptr || ::sched_getaffinity(0, size, mask.get()) != 0) continue;
    for (uint32_t processor = 0; processor < most; ++processor) {
      if (CPU_ISSET_S(processor, size, mask.get())) allowed.push_back(processor);
    }
    return allowed;
  }
  for (uint32_t processor = 0; processor < std::max(1U, online_processors("")); ++processor) {
    allowed.push_back(processor);
  }
  return allowed;
}

ProcessorFacts read_processors(const std::string& root) { return read_processors(root, allowed_processors()); }

ProcessorFacts read_processors(const std::string& root, const std::vector<uint32_t>& allowed) {
  std::set<uint32_t> cores;
  for (const uint32_t processor : allowed) cores.insert(core_of(root, processor));
  const std::string loadavg = text_of_file(root + "/proc/loadavg");
  const double load = number_in<double>(std::string_view(loadavg).substr(0, loadavg.find(' '))).value_or(0);
  const uint32_t runnable = runnable_tasks(loadavg).value_or(0);
  return {.online = online_processors(root),
          .allowed = static_cast<uint32_t>(allowed.size()),
          .cores = static_cast<uint32_t>(cores.size()),
          .quota = quota_of_control_groups(root),
          .runnable = runnable == 0 ? 0 : runnable - 1,
          .load = std::isfinite(load) && load > 0 ? load : 0};
}

uint32_t usable_cores(const ProcessorFacts& processors) {
  const uint32_t cores = std::max(processors.cores != 0 ? processors.cores : processors.allowed, 1U);
  return processors.quota ? std::min(cores, processors_of_quota(*processors.quota)) : cores;
}

uint32_t processors_of_quota(double quota) {
  return static_cast<uint32_t>(std::clamp(std::ceil(quota), 1.0, double{kMostProcessors}));
}

std::optional<double> quota_of_control_groups(const std::string& root) {
  std::optional<double> least;
  const std::string groups = text_of_file(root + "/proc/self/cgroup");
  for (const std::string_view line : parts_of(groups, '\n')) {  // number:controllers:path
    const size_t first = line.find(':');
    const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::vector<std::string_view> names = parts_of(controllers, ',');
    const bool is_version_2 = controllers.empty();
    if (!is_version_2 && std::find(names.begin(), names.end(), "cpu") == names.end()) continue;
    // Any group on the way to the top may limit it. In a container the path may be one of the host, and only the top is
    // there.
    std::string mount = root + "/sys/fs/cgroup";
    if (!is_version_2) mount.append("/").append(controllers);
    std::string path(line.substr(second + 1));
    while (true) {
      const std::optional<double> quota = quota_of_group(mount + path, is_version_2);
      if (quota && (!least || *quota < *least)) least = quota;
      const size_t slash = path.rfind('/');
      if (slash == std::string::npos) break;
      path.resize(slash);
    }
  }
  return least;
}

std::optional<uint32_t> runnable_tasks(const std::string& loadavg) {
  const std::vector<std::string_view> words = parts_of(loadavg, ' ');
  if (words.size() < 4) return std::nullopt;
  const size_t slash = words[3].find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  return number_in<uint32_t>(words[3].substr(0, slash));
}

}  // namespace xsp
