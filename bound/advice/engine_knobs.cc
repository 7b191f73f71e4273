#include "bound/advice/engine_knobs.h"

#include <algorithm>
#include <iterator>

#include "base/number_text.h"

namespace xsp::bound {
namespace {

/// By cudnnBackendKnobType_t.
constexpr std::string_view kKnobNames[] = {"SPLIT_K",
                                           "SWIZZLE",
                                           "TILE_SIZE",
                                           "USE_TEX",
                                           "EDGE",
                                           "KBLOCK",
                                           "LDGA",
                                           "LDGB",
                                           "CHUNK_K",
                                           "SPLIT_H",
                                           "WINO_TILE",
                                           "MULTIPLY",
                                           "SPLIT_K_BUF",
                                           "TILEK",
                                           "STAGES",
                                           "REDUCTION_MODE",
                                           "CTA_SPLIT_K_MODE",
                                           "SPLIT_K_SLC",
                                           "IDX_MODE",
                                           "SLICED",
                                           "SPLIT_RS",
                                           "SINGLEBUFFER",
                                           "LDGC",
                                           "SPECFILT",
                                           "KERNEL_CFG",
                                           "WORKSPACE",
                                           "TILE_CGA",
                                           "TILE_CGA_M",
                                           "TILE_CGA_N",
                                           "BLOCK_SIZE",
                                           "OCCUPANCY",
                                           "ARRAY_SIZE_PER_THREAD",
                                           "NUM_C_PER_BLOCK",
                                           "SPLIT_COLS",
                                           "TILE_ROWS",
                                           "TILE_COLS",
                                           "LOAD_SIZE",
                                           "CTA_COUNT",
                                           "STREAM_K",
                                           "SPLIT_P_SLC",
                                           "TILE_M",
                                           "TILE_N",
                                           "WARP_SPEC_CFG",
                                           "SWAP_AB"};

}  // namespace

EngineKnobs knobs_of_plan(const analysis::ExecutionPlan& plan) {
  EngineKnobs knobs;
  for (const auto& [name, choice] : plan.knobs) {
    const auto* const known = std::ranges::find(kKnobNames, name);
    if (known == std::end(kKnobNames)) return {};
    knobs.emplace_back(known - std::begin(kKnobNames), choice);
  }
  std::ranges::sort(knobs);
  return knobs;
}

EngineKnobs knobs_of_name(std::string_view implementation) {
  constexpr std::string_view kKnobs = " knobs ";
  const size_t begin = implementation.find(kKnobs);
  if (begin == std::string_view::npos) return {};
  std::string_view rest = implementation.substr(begin + kKnobs.size());
  rest = rest.substr(0, rest.find(' '));
  EngineKnobs knobs;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(','));
    const size_t equals = std::min(one.find('='), one.size());
    const auto knob = number_in<int64_t>(one.substr(0, equals));
    const auto choice = number_in<int64_t>(one.substr(std::min(equals + 1, one.size())));
    if (!knob || !choice) return {};
    knobs.emplace_back(*knob, *choice);
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
  }
  std::ranges::sort(knobs);
  return knobs;
}

}  // namespace xsp::bound
