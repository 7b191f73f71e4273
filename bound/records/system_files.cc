#include "bound/records/system_files.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/number_text.h"
#include "bound/records/processor_name.h"

namespace xsp::bound {
namespace {

constexpr size_t kMostFileBytes = 256 << 10;

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// Cores of a group by what its files say, where they limit it.
std::optional<int> cores_of(std::string_view quota, std::string_view period) {
  const auto quota_us = number_in<int64_t>(quota);
  const auto period_us = number_in<int64_t>(period);
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) return std::nullopt;
  return static_cast<int>(std::clamp<int64_t>((*quota_us - 1) / *period_us + 1, 1, 1 << 20));
}

std::optional<int> cores_of_group(const std::string& folder, bool is_version_2) {
  if (is_version_2) {
    const std::string text = text_of_file(folder + "/cpu.max");
    const std::vector<std::string_view> words = parts_of(text, ' ');
    return words.size() == 2 ? cores_of(words[0], words[1]) : std::nullopt;
  }
  return cores_of(text_of_file(folder + "/cpu.cfs_quota_us"), text_of_file(folder + "/cpu.cfs_period_us"));
}

uint64_t memory_of(const std::string& meminfo) {
  for (const std::string_view line : parts_of(meminfo, '\n')) {
    if (!line.starts_with("MemTotal:")) continue;
    const size_t digit = line.find_first_of("0123456789");
    if (digit == std::string_view::npos) return 0;
    const std::string_view number = line.substr(digit, line.find_first_not_of("0123456789", digit) - digit);
    return number_in<uint64_t>(number).value_or(0) << 10;
  }
  return 0;
}

/// Of the highest level that holds data.
uint64_t last_cache(const std::string& folder) {
  int last_level = 0;
  uint64_t bytes = 0;
  for (int index = 0;; ++index) {
    const std::string cache = fmt::format("{}/index{}", folder, index);
    const int level = number_in<int>(text_of_file(cache + "/level")).value_or(0);
    if (level == 0) return bytes;
    if (level <= last_level || text_of_file(cache + "/type") == "Instruction") continue;
    const uint64_t size = bytes_of_cache_size(text_of_file(cache + "/size"));
    if (size == 0) continue;
    last_level = level;
    bytes = size;
  }
}

std::string clocks_of(const std::string& folder) {
  std::string text = text_of_file(folder + "/scaling_governor");
  const auto largest_khz = number_in<int64_t>(text_of_file(folder + "/cpuinfo_max_freq"));
  if (!largest_khz) return text;
  return fmt::format("{}{}{:.2f} GHz", text, text.empty() ? "" : ", ", static_cast<double>(*largest_khz) / 1e6);
}

/// Tells machines apart without telling which one it is: 64 of the 128 bits' worth of the machine's number.
std::string host_hash_of(const std::string& machine_id) {
  if (machine_id.empty()) return {};
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char letter : "xsp-bound " + machine_id) hash = (hash ^ static_cast<uint8_t>(letter)) * 0x100000001b3;
  return fmt::format("{:012x}", hash >> 16);
}

}  // namespace

std::string text_of_file(const std::string& path) {
  std::string text;
  if (FILE* const file = std::fopen(path.c_str(), "re"); file != nullptr) {
    text.resize(kMostFileBytes);
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

uint64_t bytes_of_cache_size(const std::string& text) {
  const size_t unit = text.find_first_not_of("0123456789");
  const auto number = number_in<uint32_t>(std::string_view(text).substr(0, unit));
  if (!number) return 0;
  const std::string_view name = unit == std::string::npos ? "" : std::string_view(text).substr(unit);
  if (name.empty()) return *number;
  if (name == "K") return uint64_t{*number} << 10;
  if (name == "M") return uint64_t{*number} << 20;
  return 0;
}

std::optional<int> cores_of_quota(const std::string& root) {
  std::optional<int> least;
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
    if (!is_version_2) mount += "/" + std::string(controllers);
    std::string path(line.substr(second + 1));
    while (true) {
      const std::optional<int> cores = cores_of_group(mount + path, is_version_2);
      if (cores && (!least || *cores < *least)) least = cores;
      const size_t slash = path.rfind('/');
      if (slash == std::string::npos) break;
      path.resize(slash);
    }
  }
  return least;
}

SystemFacts facts_from_files(const std::string& root, int cores) {
  const std::string first_processor = root + "/sys/devices/system/cpu/cpu0";
  const ProcessorName processor = processor_named_in(text_of_file(root + "/proc/cpuinfo"));
  return {
      .device = processor.device,
      .isa = processor.isa,
      .instructions = processor.instructions,
      .cores = std::min(cores, cores_of_quota(root).value_or(cores)),
      .memory_bytes = memory_of(text_of_file(root + "/proc/meminfo")),
      .cache_bytes = last_cache(first_processor + "/cache"),
      .driver = text_of_file(root + "/proc/sys/kernel/osrelease"),
      .clocks = clocks_of(first_processor + "/cpufreq"),
      .host_hash = host_hash_of(text_of_file(root + "/etc/machine-id")),
  };
}

}  // namespace xsp::bound
