#include "import/tracing/traced_spans.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace xsp {
namespace {

/// How many open siblings are considered as parents of the next one.
constexpr size_t kMaxOpenSiblings = 64;

/// Why no span of a profile can be used.
std::string nothing_usable(uint64_t damaged, uint64_t nameless) {
  std::string what = "there is no span in it";
  if (damaged + nameless == 0) return what;
  what += " that can be used (";
  if (nameless != 0) what += std::to_string(nameless).append(" without an id or a time");
  if (nameless != 0 && damaged != 0) what += ", ";
  if (damaged != 0) what += std::to_string(damaged).append(" of no sound JSON");
  what += ')';
  return what;
}

}  // namespace

uint32_t TracedSpans::add_service() {
  const auto number = static_cast<uint32_t>(services_.size());
  services_.push_back({{}, {}, number});
  return number;
}

void TracedSpans::set_service(uint32_t service, std::string_view name, ProcessTags tags) {
  services_[service].name = name;
  services_[service].tags = std::move(tags);
}

void TracedSpans::add(const Span& span, const SpanTags& tags) {
  std::string key(span.trace);
  key += '/';
  const size_t prefix = key.size();
  Entry entry{};
  entry.trace = ids_.intern(key);
  key += span.id;
  entry.id = ids_.intern(key);
  if (!span.parent.empty()) {
    key.resize(prefix);
    key += span.parent;
    entry.parent = ids_.intern(key);
  }
  entry.service = span.service;
  entry.told = kNone;
  entry.span.begin_ns = span.begin_ns;
  entry.span.end_ns = span.end_ns;
  entry.span.bytes = tags.bytes.value_or(0);
  entry.span.name = texts_.intern(tags.name);
  entry.span.type = texts_.intern(tags.type);
  entry.span.shape = texts_.intern(tags.shape);
  entry.span.input = texts_.intern(tags.input);
  entry.span.correlation = tags.correlation;
  entry.span.level = tags.level;
  entry.span.kind = tags.kind;
  entry.span.failed = tags.failed;
  entry.configuration = texts_.intern(tags.configuration);
  entry.device_name = texts_.intern(tags.device_name);
  entry.queue = {tags.device, tags.context, tags.stream};
  entry.is_execution = tags.is_execution;
  entry.is_repeated_call = tags.is_repeated_call;
  entry.has_bytes = tags.bytes.has_value();
  entry.metrics = static_cast<uint32_t>(metrics_.size());
  entry.metric_count = static_cast<uint32_t>(tags.metrics.size());
  for (const auto& [name, value] : tags.metrics) metrics_.emplace_back(texts_.intern(name), value);
  entries_.push_back(entry);
}

uint32_t TracedSpans::find_group(uint32_t service) {
  while (services_[service].group != service) {
    services_[service].group = services_[services_[service].group].group;
    service = services_[service].group;
  }
  return service;
}

/// Determines the parents, and which services form one process.
void TracedSpans::find_parents(ProfileTimeline* timeline) {
  std::vector<uint32_t> owner(ids_.size() + 1, kNone);
  uint64_t repeated = 0;
  uint64_t unknown = 0;
  for (uint32_t number = 0; number < entries_.size(); ++number) {
    if (owner[entries_[number].id] == kNone) {
      owner[entries_[number].id] = number;
    } else {
      ++repeated;
    }
  }
  for (uint32_t number = 0; number < entries_.size(); ++number) {
    Entry& entry = entries_[number];
    if (entry.parent == 0) continue;
    entry.told = owner[entry.parent];
    if (entry.told == kNone) ++unknown;
    if (entry.told == number) entry.told = kNone;
    if (entry.told == kNone) continue;
    const uint32_t group = find_group(entry.service);
    services_[group].group = find_group(entries_[entry.told].service);
  }
  for (Entry& entry : entries_) entry.process = find_group(entry.service);
  // A cycle has no outermost span: the first one found loses its parent.
  std::vector<uint8_t> seen(entries_.size());  // 1: on the way, 2: done
  uint64_t circular = 0;
  for (uint32_t number = 0; number < entries_.size(); ++number) {
    uint32_t at = number;
    while (seen[at] == 0) {
      seen[at] = 1;
      const uint32_t told = entries_[at].told;
      if (told == kNone) break;
      if (seen[told] == 1) {
        entries_[at].told = kNone;
        ++circular;
        break;
      }
      at = told;
    }
    for (at = number; seen[at] == 1;) {
      seen[at] = 2;
      if (entries_[at].told == kNone) break;
      at = entries_[at].told;
    }
  }
  if (repeated != 0) timeline->note("span with the id of another one", repeated);
  if (unknown != 0) timeline->note("span whose parent is not in the profile, left without one", unknown);
  if (circular != 0) timeline->note("span that is its own ancestor, left without a parent", circular);
}

/// A tracer of the device knows at most the model's span: its spans are moved into the layer, or the library call, that
/// was open. If several are possible, none is chosen.
void TracedSpans::refine_parents(ProfileTimeline* timeline) {
  // Children by parent; those without one are children of their process.
  std::vector<uint32_t> hosts;
  for (uint32_t number = 0; number < entries_.size(); ++number) {
    Entry& entry = entries_[number];
    while (entry.told != kNone && entries_[entry.told].is_execution) entry.told = entries_[entry.told].told;
    if (!entry.is_execution) hosts.push_back(number);
  }
  std::vector<std::vector<uint32_t>> children(entries_.size());
  std::vector<std::vector<uint32_t>> groups;
  const auto is_before = [&](uint32_t a, uint32_t b) {
    const ImportedSpan& first = entries_[a].span;
    const ImportedSpan& second = entries_[b].span;
    return std::tuple(first.begin_ns, -std::max(first.end_ns, INT64_MIN + 1), first.level, a) <
           std::tuple(second.begin_ns, -std::max(second.end_ns, INT64_MIN + 1), second.level, b);
  };
  std::sort(hosts.begin(), hosts.end(), is_before);
  std::vector<std::tuple<uint32_t, uint32_t, uint32_t>> roots;  // process, index in `hosts`, number
  for (uint32_t place = 0; place < hosts.size(); ++place) {
    const Entry& entry = entries_[hosts[place]];
    if (entry.told != kNone) {
      children[entry.told].push_back(hosts[place]);
    } else {
      roots.emplace_back(entry.process, place, hosts[place]);
    }
  }
  std::sort(roots.begin(), roots.end());
  for (size_t first = 0; first < roots.size();) {
    groups.emplace_back();
    const uint32_t process = std::get<0>(roots[first]);
    for (; first < roots.size() && std::get<0>(roots[first]) == process; ++first) {
      groups.back().push_back(std::get<2>(roots[first]));
    }
  }

  const auto contains = [&](const ImportedSpan& outer, const ImportedSpan& inner) {
    if (inner.end_ns <= outer.end_ns) return true;
    return inner.begin_ns < outer.end_ns && inner.end_ns - resolution_ns_ <= outer.end_ns;
  };
  uint64_t ambiguous = 0;
  while (!groups.empty()) {
    std::vector<uint32_t> group = std::move(groups.back());
    groups.pop_back();
    std::vector<uint32_t> open;
    for (const uint32_t number : group) {
      Entry& entry = entries_[number];
      open.erase(std::remove_if(open.begin(), open.end(),
                                [&](uint32_t other) { return entries_[other].span.end_ns < entry.span.begin_ns; }),
                 open.end());
      uint32_t parent = kNone;
      bool is_ambiguous = false;
      for (const uint32_t other : open) {
        const ImportedSpan& span = entries_[other].span;
        if (span.level >= entry.span.level || span.level == wire::Level::kApplication) continue;
        if (!contains(span, entry.span)) continue;
        if (parent == kNone || span.level > entries_[parent].span.level) {
          parent = other;
          is_ambiguous = false;
        } else if (span.level == entries_[parent].span.level) {
          // The inner one is meant.
          is_ambiguous |= span.end_ns > entries_[parent].span.end_ns;
          parent = other;
        }
      }
      if (is_ambiguous) ++ambiguous;
      if (parent != kNone && !is_ambiguous) {
        entry.told = parent;
        children[parent].push_back(number);
      }
      if (open.size() == kMaxOpenSiblings) open.erase(open.begin());
      open.push_back(number);
    }
    for (const uint32_t number : group) {
      if (children[number].empty()) continue;
      // Children added here come after those given by the tracer.
      auto& inner = children[number];
      std::sort(inner.begin(), inner.end(), is_before);
      groups.push_back(std::move(inner));
    }
  }
  if (ambiguous != 0) timeline->note("span inside two others that overlap, left where it was told", ambiguous);
}

ImportedProcess& TracedSpans::process_of(const Entry& entry, ProfileTimeline* timeline) {
  return timeline->process(services_[entry.process].tags.pid);
}

void TracedSpans::place_hosts(ProfileTimeline* timeline) {
  for (Entry& entry : entries_) {
    if (entry.is_execution) continue;
    ImportedProcess& process = process_of(entry, timeline);
    ImportedSpan span = entry.span;
    for (uint32_t* text : {&span.name, &span.type, &span.shape, &span.input}) *text = process.text(texts_.text(*text));
    entry.placed = process.add_span(process.thread(process.pid()), span);
  }
  for (const Entry& entry : entries_) {
    // A span with a told parent makes its thread nest as told.
    if (entry.is_execution) continue;
    ImportedProcess& process = process_of(entry, timeline);
    if (entry.told != kNone) process.set_parent(entry.placed, entries_[entry.told].placed);
  }
}

void TracedSpans::place_executions(ProfileTimeline* timeline) {
  // Calls by trace and correlation id: of several, one that was a span from begin to end is preferred.
  using Key = std::tuple<uint32_t, uint32_t, bool, int64_t, uint32_t>;
  std::vector<Key> calls;
  for (uint32_t number = 0; number < entries_.size(); ++number) {
    const Entry& entry = entries_[number];
    if (entry.is_execution || entry.span.correlation == 0) continue;
    calls.emplace_back(entry.trace, entry.span.correlation, entry.is_repeated_call, entry.span.begin_ns, number);
  }
  std::sort(calls.begin(), calls.end());
  std::vector<bool> has_taken_metrics(entries_.size());
  for (uint32_t number = 0; number < entries_.size(); ++number) {
    const Entry& entry = entries_[number];
    if (!entry.is_execution) continue;
    uint32_t launch = kNone;
    const auto call =
        std::lower_bound(calls.begin(), calls.end(), Key(entry.trace, entry.span.correlation, false, INT64_MIN, 0));
    if (entry.span.correlation != 0 && call != calls.end() && std::get<0>(*call) == entry.trace &&
        std::get<1>(*call) == entry.span.correlation) {
      launch = std::get<4>(*call);
    }
    const uint32_t told = launch != kNone ? launch : entry.told;
    ImportedProcess& process = process_of(told != kNone ? entries_[told] : entry, timeline);
    ImportedExecution execution;
    execution.begin_ns = entry.span.begin_ns;
    execution.end_ns = entry.span.end_ns;
    execution.bytes = entry.span.bytes;
    execution.name = process.text(texts_.text(entry.span.name));
    execution.configuration = process.text(texts_.text(entry.configuration));
    execution.correlation = entry.span.correlation;
    execution.queue = entry.queue;
    execution.kind = entry.span.kind;
    const size_t place = process.execution_count();
    process.add_execution(execution);
    if (told != kNone) process.set_launch(place, entries_[told].placed);
    const auto add_metrics = [&](const Entry& from) {
      for (uint32_t i = from.metrics; i < from.metrics + from.metric_count; ++i) {
        process.add_counter(place, texts_.text(metrics_[i].first), metrics_[i].second);
      }
    };
    add_metrics(entry);
    // Counters of a launch measure the work of its first kernel.
    if (launch != kNone && entry.metric_count == 0 && !has_taken_metrics[launch]) {
      has_taken_metrics[launch] = true;
      add_metrics(entries_[launch]);
    }
  }
}

Status TracedSpans::finish(std::string early_end, const ProfileInput& input, ProfileTimeline* timeline) {
  const Status error = input.error();
  if (!early_end.empty() && !error.ok()) early_end += " (" + error.error + ")";
  if (entries_.empty()) return Status{early_end.empty() ? nothing_usable(damaged_, incomplete_) : early_end};
  if (!early_end.empty()) timeline->note(early_end + "; what lies before was read");
  if (damaged_ != 0) timeline->note("span that is no sound JSON", damaged_);
  if (incomplete_ != 0) timeline->note("span without an id or a time", incomplete_);
  timeline->set_resolution(resolution_ns_);
  timeline->set_realtime_origin(0);
  place(timeline);
  return Status();
}

void TracedSpans::place(ProfileTimeline* timeline) {
  find_parents(timeline);
  refine_parents(timeline);
  for (uint32_t number = 0; number < services_.size(); ++number) {
    Service& service = services_[number];
    if (!service.tags.hostname.empty()) timeline->set_hostname(service.tags.hostname);
    Service& group = services_[find_group(number)];
    if (group.tags.pid == 0) group.tags.pid = service.tags.pid;
  }
  // Processes without an id of their own are numbered.
  std::vector<bool> has_entries(services_.size());
  for (const Entry& entry : entries_) has_entries[entry.process] = true;
  std::set<uint32_t> taken;
  uint32_t next = 1;
  for (uint32_t number = 0; number < services_.size(); ++number) {
    Service& service = services_[number];
    if (!has_entries[number]) continue;
    if (service.tags.pid == 0 || !taken.insert(service.tags.pid).second) {
      while (!taken.insert(next).second) ++next;
      service.tags.pid = next;
    }
    ImportedProcess& process = timeline->process(service.tags.pid);
    process.set_name(service.name);
  }
  // Device and name; a service describes device 0, a span its own device.
  std::set<std::tuple<uint32_t, uint32_t, std::string>> devices;
  for (uint32_t number = 0; number < services_.size(); ++number) {
    const uint32_t group = find_group(number);
    const std::string& name = services_[number].tags.device_name;
    if (!name.empty() && has_entries[group]) devices.emplace(services_[group].tags.pid, 0, name);
  }
  for (const Entry& entry : entries_) {
    if (entry.device_name == 0) continue;
    devices.emplace(services_[entry.process].tags.pid, entry.queue.device, texts_.text(entry.device_name));
  }
  for (const auto& [pid, index, name] : devices) timeline->process(pid).add_device({.index = index, .name = name});
  const auto has_size = [](const Entry& entry) { return entry.has_bytes || entry.span.level != wire::Level::kLayer; };
  const bool knows_bytes = std::all_of(entries_.begin(), entries_.end(), has_size) &&
                           std::any_of(entries_.begin(), entries_.end(), [](const Entry& entry) {
                             return entry.has_bytes && entry.span.level == wire::Level::kLayer;
                           });
  place_hosts(timeline);
  place_executions(timeline);
  for (ImportedProcess& process : timeline->processes()) {
    if (knows_bytes) process.know_bytes();
  }
  entries_.clear();
}

}  // namespace xsp
