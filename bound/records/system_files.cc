#include "bound/records/system_files.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/file_text.h"
#include "base/number_text.h"
#include "base/processors.h"
#include "bound/records/processor_name.h"

namespace xsp::bound {
namespace {

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
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

SystemFacts facts_from_files(const std::string& root, int cores) {
  const std::string first_processor = root + "/sys/devices/system/cpu/cpu0";
  const std::optional<double> quota = quota_of_control_groups(root);
  const ProcessorName processor = processor_named_in(text_of_file(root + "/proc/cpuinfo"));
  return {
      .device = processor.device,
      .isa = processor.isa,
      .instructions = processor.instructions,
      .cores = quota ? std::min(cores, static_cast<int>(processors_of_quota(*quota))) : cores,
      .memory_bytes = memory_of(text_of_file(root + "/proc/meminfo")),
      .cache_bytes = last_cache(first_processor + "/cache"),
      .driver = text_of_file(root + "/proc/sys/kernel/osrelease"),
      .clocks = clocks_of(first_processor + "/cpufreq"),
      .host_hash = host_hash_of(text_of_file(root + "/etc/machine-id")),
  };
}

}  // namespace xsp::bound
