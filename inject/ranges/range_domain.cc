#include "inject/ranges/range_domain.h"

#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <string_view>

#include "inject/guard/errno_guard.h"

namespace xsp::guest {
namespace {

constinit RangeDomain domains[kMaxRangeDomains] = {
    {.state = RangeDomain::kReady, .name = 0, .number = 0, .kind = wire::Kind::kNvtxRange}};
constinit std::atomic<bool> domain_limit_told{false};

/// oneDNN's domains: "dnnl::primitive::execute", "dnnl::primitive::create", "dnnl::graph::…".
void describe_onednn(RangeDomain& domain, std::string_view name) {
  constexpr std::string_view kPrefix = "dnnl::";
  if (domain.kind != wire::Kind::kIttTask || !name.starts_with(kPrefix)) return;
  domain.is_onednn = true;
  if (name == "dnnl::primitive::execute") return;
  domain.stage[0] = ' ';
  const size_t at = name.rfind(':') + 1;
  memcpy(domain.stage + 1, name.data() + at, std::min(name.size() - at, sizeof domain.stage - 2));
}

void make(RangeDomain& domain, uint32_t number, wire::Kind kind, std::string_view name, uint32_t name_id) {
  domain.name = name_id;
  domain.number = number;
  domain.kind = kind;
  describe_onednn(domain, name);
  if (kind == wire::Kind::kIttTask) {
    domain.itt.flags = 1;
    domain.itt.name = strndup(name.data(), name.size());
    domain.itt.extra2 = &domain;
  }
}

}  // namespace

RangeDomain* default_domain() { return &domains[0]; }

RangeDomain* range_domain(wire::Kind kind, const char* name, uint32_t name_id) {
  const ErrnoGuard errno_guard;
  const std::string_view text = name == nullptr ? std::string_view() : std::string_view(name, strnlen(name, 4096));
  for (uint32_t number = 1; number < kMaxRangeDomains; ++number) {
    RangeDomain& domain = domains[number];
    uint32_t now_in = domain.state.load(std::memory_order_acquire);
    if (now_in == RangeDomain::kReady && domain.kind == kind && domain.name == name_id) return &domain;
    if (now_in != RangeDomain::kFree) continue;
    // A domain that another thread is making is skipped: two domains of one name do no harm.
    if (!domain.state.compare_exchange_strong(now_in, RangeDomain::kBeingMade)) continue;
    make(domain, number, kind, text, name_id);
    domain.state.store(RangeDomain::kReady, std::memory_order_release);
    return &domain;
  }
  if (!domain_limit_told.exchange(true)) {
    notify(1, "ranges", "too many domains of NVTX or ITT: ranges of the later ones are not recorded");
  }
  return nullptr;
}

bool is_range_domain(const void* domain) {
  const auto offset = reinterpret_cast<uintptr_t>(domain) - reinterpret_cast<uintptr_t>(domains);
  return offset < sizeof domains && offset % sizeof(RangeDomain) == 0 &&
         static_cast<const RangeDomain*>(domain)->state.load(std::memory_order_acquire) == RangeDomain::kReady;
}

}  // namespace xsp::guest
