#include "bound/records/processor_name.h"

#include <set>

namespace xsp::bound {
namespace {

struct Extension {
  std::string_view flag;  // as the kernel names it
  std::string_view name;
};

/// Widest first: what a library that dispatches by instructions would take.
constexpr Extension kExtensions[] = {
    {"amx_int8", "amx_int8"},
    {"avx512_fp16", "avx512_fp16"},
    {"avx512_bf16", "avx512_bf16"},
    {"avx512_vnni", "avx512_vnni"},
    {"avx512f", "avx512"},
    {"avx_vnni", "avx_vnni"},
    {"avx2", "avx2"},
    {"avx", "avx"},
    {"sse4_1", "sse4_1"},
    {"sse2", "sse2"},
    {"sme", "sme"},
    {"sve2", "sve2"},
    {"sve", "sve"},
    {"asimddp", "asimddp"},
    {"asimd", "asimd"},
};

/// Extensions that tell which types a processor computes in, and that do not name its widest vectors.
constexpr std::string_view kFurtherExtensions[] = {"amx_bf16", "amx_fp16", "avx_vnni_int8", "i8mm", "bf16", "asimdhp"};

struct Implementer {
  std::string_view code;
  std::string_view name;
};

/// Of the register MIDR_EL1, as Arm assigns them.
constexpr Implementer kImplementers[] = {
    {"0x41", "Arm"},    {"0x42", "Broadcom"}, {"0x43", "Cavium"}, {"0x46", "Fujitsu"},   {"0x48", "HiSilicon"},
    {"0x4e", "NVIDIA"}, {"0x51", "Qualcomm"}, {"0x61", "Apple"},  {"0x6d", "Microsoft"}, {"0xc0", "Ampere"},
};

struct Part {
  std::string_view implementer;
  std::string_view code;
  std::string_view name;
};

/// The parts that servers and boards for machine learning have; others are told by number.
constexpr Part kParts[] = {
    {"0x41", "0xd03", "Cortex-A53"},   {"0x41", "0xd07", "Cortex-A57"},  {"0x41", "0xd08", "Cortex-A72"},
    {"0x41", "0xd0b", "Cortex-A76"},   {"0x41", "0xd0c", "Neoverse-N1"}, {"0x41", "0xd40", "Neoverse-V1"},
    {"0x41", "0xd42", "Cortex-A78AE"}, {"0x41", "0xd49", "Neoverse-N2"}, {"0x41", "0xd4f", "Neoverse-V2"},
    {"0x41", "0xd84", "Neoverse-V3"},  {"0x41", "0xd8e", "Neoverse-N3"}, {"0x46", "0x001", "A64FX"},
    {"0x4e", "0x004", "Carmel"},       {"0xc0", "0xac3", "Ampere-1"},    {"0xc0", "0xac4", "Ampere-1a"},
};

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// The value of the first line "key : value".
std::string_view value_of(std::string_view cpuinfo, std::string_view key) {
  while (!cpuinfo.empty()) {
    const std::string_view line = cpuinfo.substr(0, cpuinfo.find('\n'));
    const size_t colon = line.find(':');
    if (colon != std::string_view::npos && trimmed(line.substr(0, colon)) == key)
      return trimmed(line.substr(colon + 1));
    cpuinfo.remove_prefix(line.size() < cpuinfo.size() ? line.size() + 1 : line.size());
  }
  return {};
}

std::string arm_name(std::string_view implementer, std::string_view part) {
  std::string name = "implementer " + std::string(implementer);
  for (const Implementer& known : kImplementers) {
    if (known.code == implementer) name = known.name;
  }
  for (const Part& known : kParts) {
    if (known.implementer == implementer && known.code == part) return name + " " + std::string(known.name);
  }
  return name + " part " + std::string(part);
}

std::set<std::string_view> words_of(std::string_view flags) {
  std::set<std::string_view> words;
  while (!flags.empty()) {
    const size_t blank = flags.find(' ');
    words.insert(flags.substr(0, blank));
    flags.remove_prefix(blank == std::string_view::npos ? flags.size() : blank + 1);
  }
  return words;
}

std::string isa_of(const std::set<std::string_view>& words) {
  for (const Extension& extension : kExtensions) {
    if (words.contains(extension.flag)) return std::string(extension.name);
  }
  return "scalar";
}

std::string instructions_of(const std::set<std::string_view>& words) {
  std::string text;
  std::set<std::string_view> written;
  const auto add = [&](std::string_view name) {
    if (!written.insert(name).second) return;
    if (!text.empty()) text += ' ';
    text += name;
  };
  for (const Extension& extension : kExtensions) {
    if (words.contains(extension.flag)) add(extension.name);
  }
  for (const std::string_view extension : kFurtherExtensions) {
    if (words.contains(extension)) add(extension);
  }
  return text;
}

}  // namespace

ProcessorName processor_named_in(std::string_view cpuinfo) {
  ProcessorName found{.device = std::string(value_of(cpuinfo, "model name"))};
  const std::string_view implementer = value_of(cpuinfo, "CPU implementer");
  if (found.device.empty() && !implementer.empty()) found.device = arm_name(implementer, value_of(cpuinfo, "CPU part"));
  if (found.device.empty()) found.device = "unknown processor";
  const std::string_view flags = value_of(cpuinfo, "flags");
  const std::set<std::string_view> words = words_of(flags.empty() ? value_of(cpuinfo, "Features") : flags);
  found.isa = isa_of(words);
  found.instructions = instructions_of(words);
  return found;
}

}  // namespace xsp::bound
