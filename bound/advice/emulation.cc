#include "bound/advice/emulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/number_text.h"

namespace xsp::bound {
namespace {

/// Extensions of which each has instructions for a precision, and the ones of which each tells that a processor that is
/// known by it alone has none of these: its vectors are the widest, and with them the others would have come.
struct ProcessorRow {
  std::string_view precision;
  std::array<std::string_view, 6> has;
  std::array<std::string_view, 9> lacks;
};
constexpr ProcessorRow kProcessorRows[] = {
    {"bf16",
     {"avx512_bf16", "amx_bf16", "bf16", "svebf16"},
     {"avx512_vnni", "avx512", "avx_vnni", "avx2", "avx", "sse4_1", "sse2", "scalar"}},
    {"f16",
     {"avx512_fp16", "amx_fp16", "asimdhp", "sve", "sve2", "sme"},
     {"avx512_bf16", "avx512_vnni", "avx512", "avx_vnni", "avx2", "avx", "sse4_1", "sse2", "scalar"}},
    {"int8",
     {"avx512_vnni", "avx_vnni", "amx_int8", "asimddp", "i8mm", "sve2"},
     {"avx512", "avx2", "avx", "sse4_1", "sse2", "scalar"}},
};

/// What a processor with an extension has as well, where only the widest one is known: of every processor that was ever
/// sold with the first.
struct ImpliedRow {
  std::string_view extension;
  std::array<std::string_view, 4> implied;
};
constexpr ImpliedRow kImplied[] = {
    {"amx_int8", {"avx512_fp16", "avx512_bf16", "avx512_vnni", "amx_bf16"}},
    {"avx512_fp16", {"avx512_bf16", "avx512_vnni"}},
    {"avx512_bf16", {"avx512_vnni"}},
};

/// The first compute capability with instructions for a precision.
struct GpuRow {
  std::string_view precision;
  int capability;
};
constexpr GpuRow kGpuRows[] = {{"f16", 53}, {"bf16", 80}, {"tf32", 80}, {"fp8", 89}, {"int8", 72}};

constexpr std::string_view kGpuPrefix = "sm_";

template <typename Texts>
bool names(const Texts& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

template <typename Visit>
void for_each_word(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const size_t blank = text.find(' ');
    if (blank != 0) visit(text.substr(0, blank));
    text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
  }
}

Instructions gpu_instructions(std::string_view precision, std::string_view isa) {
  isa.remove_prefix(kGpuPrefix.size());
  // "90a" has what "90" has.
  const auto capability = number_in<int>(isa.substr(0, isa.find_first_not_of("0123456789")));
  const auto* const row = std::ranges::find(kGpuRows, precision, &GpuRow::precision);
  if (!capability || row == std::end(kGpuRows)) return Instructions::kUnknown;
  return *capability >= row->capability ? Instructions::kThere : Instructions::kMissing;
}

}  // namespace

bool is_gpu_isa(std::string_view isa) { return isa.starts_with(kGpuPrefix); }

Instructions instructions_for(std::string_view precision, std::string_view isa) {
  if (is_gpu_isa(isa)) return gpu_instructions(precision, isa);
  const auto* const row = std::ranges::find(kProcessorRows, precision, &ProcessorRow::precision);
  if (row == std::end(kProcessorRows) || isa.empty()) return Instructions::kUnknown;
  size_t words = 0;
  bool is_there = false;
  for_each_word(isa, [&](std::string_view word) {
    ++words;
    is_there = is_there || names(row->has, word);
    const auto* const implied = std::ranges::find(kImplied, word, &ImpliedRow::extension);
    if (implied == std::end(kImplied)) return;
    for (const std::string_view other : implied->implied)
      is_there = is_there || (!other.empty() && names(row->has, other));
  });
  if (is_there) return Instructions::kThere;
  // All extensions are listed, or the one that is tells enough.
  if (words > 1 || names(row->lacks, isa)) return Instructions::kMissing;
  return Instructions::kUnknown;
}

bool is_emulated_without_instructions(std::string_view precision) { return precision != "int8"; }

std::string missing_instructions_text(std::string_view precision, std::string_view isa) {
  if (instructions_for(precision, isa) != Instructions::kMissing) return "";
  const std::string_view device = is_gpu_isa(isa) ? "GPU" : "processor";
  if (!is_emulated_without_instructions(precision)) {
    return is_gpu_isa(isa) ? "without Tensor Cores for bytes"
                           : "without VNNI: this processor has no dot product of bytes";
  }
  return fmt::format("emulated: this {} has no {} instructions", device, precision);
}

std::string isa_of_system_key(std::string_view key) {
  // device, isa, cores, memory: the device may have commas itself.
  std::array<std::string_view, 3> last;
  for (auto part = last.rbegin(); part != last.rend(); ++part) {
    const size_t comma = key.rfind(", ");
    if (comma == std::string_view::npos) return "";
    *part = key.substr(comma + 2);
    key = key.substr(0, comma);
  }
  return std::string(last.front());
}

}  // namespace xsp::bound
