#include "bound/measure/available_memory.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "base/file_text.h"
#include "base/number_text.h"
#include "bound/problems/plain_values.h"

namespace xsp::bound {
namespace {

/// The number behind "name:" or "name " of a line.
std::optional<uint64_t> number_behind(std::string_view text, std::string_view name) {
  size_t place = text.find(name);
  while (place != std::string_view::npos && place != 0 && text[place - 1] != '\n') place = text.find(name, place + 1);
  if (place == std::string_view::npos) return std::nullopt;
  const size_t digit = text.find_first_not_of(": \t", place + name.size());
  if (digit == std::string_view::npos) return std::nullopt;
  return number_in<uint64_t>(text.substr(digit, text.find_first_not_of("0123456789", digit) - digit));
}

struct MemoryFiles {
  const char* limit;
  const char* used;
  const char* reclaimable;  // pages of files in memory.stat, which make room
};
constexpr MemoryFiles kVersion1{"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"};
constexpr MemoryFiles kVersion2{"/memory.max", "/memory.current", "inactive_file"};

std::optional<uint64_t> left_in_group(const std::string& folder, const MemoryFiles& files) {
  const auto limit = number_in<uint64_t>(text_of_file(folder + files.limit));
  const auto used = number_in<uint64_t>(text_of_file(folder + files.used));
  if (!limit || !used) return std::nullopt;
  const uint64_t reclaimable = number_behind(text_of_file(folder + "/memory.stat"), files.reclaimable).value_or(0);
  const uint64_t needed = *used - std::min(*used, reclaimable);
  return *limit - std::min(*limit, needed);
}

uint64_t left_in_groups(const std::string& root) {
  uint64_t least = std::numeric_limits<uint64_t>::max();
  const std::string groups = "\n" + text_of_file(root + "/proc/self/cgroup");
  struct Version {
    std::string_view mark;
    const char* mount;
    const MemoryFiles& files;
  };
  const Version versions[] = {{":memory:", "/sys/fs/cgroup/memory", kVersion1}, {"\n0::", "/sys/fs/cgroup", kVersion2}};
  for (const Version& version : versions) {
    const size_t mark = groups.find(version.mark);
    if (mark == std::string::npos) continue;
    const size_t begin = mark + version.mark.size();
    std::string path = groups.substr(begin, groups.find('\n', begin) - begin);
    while (true) {
      least = std::min(least, left_in_group(root + version.mount + path, version.files).value_or(least));
      const size_t slash = path.rfind('/');
      if (slash == std::string::npos) break;
      path.resize(slash);
    }
  }
  return least;
}

double elements_of(const std::vector<int64_t>& dimensions) {
  double elements = 1;
  for (const int64_t dimension : dimensions) elements *= static_cast<double>(std::max<int64_t>(dimension, 0));
  return elements;
}

/// "1x2x3,4x5" as elements of all of them.
double elements_in_list(std::string_view shapes) {
  double elements = 0;
  while (!shapes.empty()) {
    const size_t comma = shapes.find(',');
    Problem one("one");
    one.set("src", shapes.substr(0, comma));
    elements += elements_of(one.dimensions("src"));
    shapes.remove_prefix(comma == std::string_view::npos ? shapes.size() : comma + 1);
  }
  return elements;
}

/// "f32[1,128,768];i64[]" as elements of all of them.
double elements_in_tensors(std::string_view tensors) {
  double elements = 0;
  while (!tensors.empty()) {
    const size_t open = tensors.find('[');
    const size_t close = tensors.find(']', open == std::string_view::npos ? 0 : open);
    if (open == std::string_view::npos || close == std::string_view::npos) return elements;
    Problem one("one");
    one.set("src", tensors.substr(open + 1, close - open - 1));
    elements += elements_of(one.list("src"));
    tensors.remove_prefix(close + 1);
  }
  return elements;
}

}  // namespace

uint64_t available_memory(const std::string& root) {
  const std::string meminfo = text_of_file(root + "/proc/meminfo");
  const std::optional<uint64_t> of_machine = number_behind(meminfo, "MemAvailable");
  return std::min(of_machine ? *of_machine << 10 : std::numeric_limits<uint64_t>::max(), left_in_groups(root));
}

double operand_bytes(const Problem& problem) {
  double elements = 0;
  for (const char* field : {"src", "wei", "src0", "src1", "dst"}) {
    if (problem.has(field)) elements += elements_of(problem.dimensions(field));
  }
  elements += elements_in_list(problem.field("srcs"));
  for (const char* field : {"in", "out"}) elements += elements_in_tensors(problem.field(field));
  const std::vector<int64_t> result = result_dimensions(problem);
  if (!result.empty()) elements += elements_of(result);
  return elements * 4;
}

}  // namespace xsp::bound
