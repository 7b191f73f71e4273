#include "inject/cupti/records/activity_texts.h"

#include <string.h>

#include <string_view>

#include "inject/cupti/state/session.h"
#include "inject/library/capture/text_writer.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

size_t spread(uint64_t value) { return static_cast<size_t>((value * 0x9e3779b97f4a7c15u) >> 32); }

std::string_view kept_text(uint32_t id) {
  Process* process = awake_process();
  if (process == nullptr) return {};
  const LockGuard lock(process->lock);
  return process->strings.text(process->region, id);
}

}  // namespace

uint32_t ActivityTexts::name(const char* text) {
  if (text == nullptr || text[0] == '\0') return 0;
  Name& known = names_[spread(reinterpret_cast<uintptr_t>(text)) % kNames];
  const size_t length = strlen(text);
  if (known.pointer == text && known.length == length && memcmp(known.kept, text, length) == 0) return known.id;
  const uint32_t id = intern({text, length});
  const std::string_view kept = kept_text(id);
  if (kept.size() == length) known = {text, kept.data(), static_cast<uint32_t>(length), id};
  return id;
}

uint32_t ActivityTexts::configuration(const LaunchConfiguration& launch) {
  uint64_t hash = 0;
  for (const int32_t size : launch.grid) hash = hash * 31 + static_cast<uint32_t>(size);
  for (const int32_t size : launch.block) hash = hash * 31 + static_cast<uint32_t>(size);
  for (const int32_t size : launch.cluster) hash = hash * 31 + static_cast<uint32_t>(size);
  hash = (hash * 31 + static_cast<uint64_t>(launch.registers)) * 31 + static_cast<uint64_t>(launch.dynamic_shared);
  Configuration& known = configurations_[spread(hash) % kConfigurations];
  if (known.id != 0 && known.launch == launch) return known.id;
  if (configurations_made_ == kMostConfigurations) {
    count_lost_activities(wire::LossReason::kStringsFull, 1);
    return 0;
  }
  TextWriter text;
  text.add("grid=").add_list(launch.grid, 3).add(" block=").add_list(launch.block, 3);
  text.add(" registers=").add(launch.registers).add(" static_shared=").add(launch.static_shared);
  text.add(" dynamic_shared=").add(launch.dynamic_shared);
  const bool has_cluster = launch.cluster[0] > 1 || launch.cluster[1] > 1 || launch.cluster[2] > 1;
  if (has_cluster) text.add(" cluster=").add_list(launch.cluster, 3);
  known = {launch, intern(text.view())};
  if (known.id > newest_configuration_) {
    newest_configuration_ = known.id;
    ++configurations_made_;
  }
  return known.id;
}

}  // namespace xsp::guest
