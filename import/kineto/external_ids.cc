#include "import/kineto/external_ids.h"

namespace xsp::kineto {
namespace {

enum class Launched : uint32_t { kNothing, kKernel, kMemcpy, kMemset };

Launched launched_by(std::string_view call) {
  const auto has = [&](std::string_view part) { return call.find(part) != std::string_view::npos; };
  if (has("emcpy")) return Launched::kMemcpy;
  if (has("emset")) return Launched::kMemset;
  return has("aunch") ? Launched::kKernel : Launched::kNothing;
}

Launched launched_as(wire::Kind kind) {
  switch (kind) {
    case wire::Kind::kKernel:
      return Launched::kKernel;
    case wire::Kind::kMemcpy:
      return Launched::kMemcpy;
    case wire::Kind::kMemset:
      return Launched::kMemset;
    default:
      return Launched::kNothing;
  }
}

uint32_t id_of(const ProfilerEvent& event, Launched launched) {
  constexpr uint32_t kMark = uint32_t{1} << 31;
  constexpr int64_t kMost = int64_t{1} << 29;
  const bool is_usable = event.external.is_known && event.external.value > 0 && event.external.value < kMost;
  if (!is_usable || launched == Launched::kNothing) return 0;
  return kMark | static_cast<uint32_t>(event.external.value) << 2 | static_cast<uint32_t>(launched);
}

}  // namespace

uint32_t ExternalIds::of_call(const ProfilerEvent& event) {
  const uint32_t id = id_of(event, launched_by(event.name));
  return id != 0 && taken_.insert(id).second ? id : 0;
}

uint32_t ExternalIds::of_execution(const ProfilerEvent& event, wire::Kind kind) {
  return id_of(event, launched_as(kind));
}

}  // namespace xsp::kineto
