#include "import/kineto/event_timeline.h"

#include <algorithm>
#include <limits>
#include <string>

namespace xsp::kineto {
namespace {

constexpr std::string_view kModulePrefix = "nn.Module: ";
constexpr std::string_view kMemoryEvent = "[memory]";
constexpr std::string_view kOldDevicePid = "CUDA functions";
/// c10::DeviceType of anything that is not a device.
constexpr int64_t kHostDeviceType = 0;

bool is_device(Category category) {
  switch (category) {
    case Category::kKernel:
    case Category::kMemcpy:
    case Category::kMemset:
    case Category::kSynchronization:
    case Category::kDeviceAnnotation:
    case Category::kOverhead:
      return true;
    default:
      return false;
  }
}

wire::Kind execution_kind(Category category) {
  switch (category) {
    case Category::kMemcpy:
      return wire::Kind::kMemcpy;
    case Category::kMemset:
      return wire::Kind::kMemset;
    case Category::kSynchronization:
      return wire::Kind::kSynchronization;
    case Category::kDeviceAnnotation:
      return wire::Kind::kAnnotation;
    case Category::kOverhead:
      return wire::Kind::kOverhead;
    default:
      return wire::Kind::kKernel;
  }
}

/// Categories by name, for torch.autograd.profiler and early profilers, which give no category, or "Operator" to all.
Category category_by_name(std::string_view name, Category otherwise) {
  constexpr std::string_view kAnnotations[] = {"ProfilerStep#", "Optimizer.step#", "Optimizer.zero_grad#",
                                               "enumerate(DataLoader)#"};
  for (const std::string_view prefix : kAnnotations) {
    if (name.starts_with(prefix)) return Category::kAnnotation;
  }
  return otherwise;
}

/// "Linear" of "Linear_12".
std::string_view without_instance(std::string_view name) {
  const size_t last = name.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last == 0 || last + 1 == name.size() || name[last] != '_') return name;
  return name.substr(0, last);
}

std::string_view runtime_type(std::string_view name) {
  if (name.starts_with("hip")) return "hip";
  return name.starts_with("ze") || name.starts_with("ur") ? "xpu" : "cudart";
}

std::string_view driver_type(std::string_view name) {
  if (name.starts_with("hip") || name.starts_with("hsa")) return "hip";
  return name.starts_with("ze") || name.starts_with("ur") ? "xpu" : "cuda";
}

}  // namespace

EventTimeline::EventTimeline(ProfileTimeline* timeline)
    : timeline_(timeline),
      threads_(timeline),
      links_(&threads_),
      calls_(&threads_),
      memory_(&threads_),
      indices_(&threads_) {}

void EventTimeline::add(const ProfilerEvent& event) {
  if (event.index.is_known) indices_.note(event.index.value);
  switch (event.phase) {
    case 'X':
      return add_complete(event);
    case 'B':
      return add_begin(event);
    case 'E':
      return add_end(event);
    case 'i':
    case 'I':
      return add_instant(event);
    case 's':
    case 'f':
      return add_flow(event);
    case 'M':
      return add_description(event);
    case '\0':
      return timeline_->note("event without a phase");
    default:
      ++other_phases_;
  }
}

bool EventTimeline::has_times(const ProfilerEvent& event) {
  if (event.time != TimeState::kKnown) {
    timeline_->note(event.time == TimeState::kMissing ? "event without a time" : "event whose time is no number");
    return false;
  }
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 4;
  if (event.time_ns > kMost || event.time_ns < -kMost || event.duration_ns > kMost) {
    timeline_->note("event whose time is too large");
    return false;
  }
  if (!has_first_) first_ns_ = event.time_ns;
  has_first_ = true;
  if (whole_microseconds_ && (event.time_ns % 1000 != 0 || event.duration_ns % 1000 != 0)) {
    whole_microseconds_ = false;
    calls_.clear();
  }
  return true;
}

void EventTimeline::find_home() {
  if (!executions_.has_home() && !threads_.processes().empty()) {
    executions_.set_home(&threads_.processes().front()->process);
  }
}

uint32_t EventTimeline::thread_of(const ProfilerEvent& event, Category category) {
  const uint32_t thread = threads_.find(event.pid, event.tid, category == Category::kPythonFunction);
  find_home();
  return thread;
}

void EventTimeline::add_complete(const ProfilerEvent& event) {
  Category category = event.category;
  if (category == Category::kIgnored) return;
  if (category == Category::kProfilerRange) {
    return ranges_.add(event);
  }
  if (event.duration != TimeState::kKnown) {
    timeline_->note(event.duration == TimeState::kMissing ? "event without a duration"
                                                          : "event whose duration is no number");
    return;
  }
  if (event.duration_ns < 0) return timeline_->note("event with a negative duration");
  if (!has_times(event)) return;
  if (category == Category::kNone && event.pid.text == kOldDevicePid) {
    category = event.name.starts_with("Memcpy")   ? Category::kMemcpy
               : event.name.starts_with("Memset") ? Category::kMemset
                                                  : Category::kKernel;
    ProfilerEvent launched = event;
    launched.correlation = launch_;
    launched.device = event.tid.number;
    launched.stream = {0, true};
    launch_ = {};
    executions_.add(launched, execution_kind(category));
    return;
  }
  if (is_device(category)) {
    executions_.add(event, execution_kind(category));
  } else {
    add_host_span(event, category);
  }
}

/// Derives what a span is from its category and name.
void EventTimeline::describe(const ProfilerEvent& event, Category category, uint32_t thread, ImportedSpan* span) {
  HostProcess& host = *threads_.thread(thread).host;
  std::string_view name = event.name;
  std::string_view type;
  span->kind = wire::Kind::kAnnotation;
  switch (category) {
    case Category::kPythonFunction:
      span->kind = wire::Kind::kPythonFunction;
      if (name.starts_with(kModulePrefix)) {
        name.remove_prefix(kModulePrefix.size());
        type = without_instance(name);
        span->kind = wire::Kind::kTorchModule;
      }
      break;
    case Category::kOperator:
      span->kind = wire::Kind::kOperator;
      type = name;
      span->arguments = host.arguments.add(event);
      break;
    case Category::kRuntimeCall:
    case Category::kDriverCall:
      span->level = wire::Level::kRuntime;
      span->kind = category == Category::kRuntimeCall ? wire::Kind::kRuntimeCall : wire::Kind::kDriverCall;
      type = category == Category::kRuntimeCall ? runtime_type(name) : driver_type(name);
      span->correlation =
          event.correlation.is_known ? static_cast<uint32_t>(event.correlation.value) : external_ids_.of_call(event);
      break;
    default:
      span->arguments = host.arguments.add(event);
      break;
  }
  span->name = host.process.text(name);
  span->type = type == name ? span->name : host.process.text(type);
}

void EventTimeline::add_host_span(const ProfilerEvent& event, Category category) {
  if (category == Category::kNone || category == Category::kOperator) {
    category = category_by_name(event.name, Category::kOperator);
  }
  const uint32_t thread = thread_of(event, category);
  ImportedSpan span;
  span.begin_ns = event.time_ns;
  span.end_ns = event.time_ns + event.duration_ns;
  describe(event, category, thread, &span);
  const uint32_t number = threads_.add(thread, span);
  ++spans_;
  if (category == Category::kUnknown) ++unknown_spans_;
  if (span.level == wire::Level::kRuntime) ranges_.add_launch(event, &threads_.thread(thread).host->process);
  if (whole_microseconds_) calls_.add(event, category, thread, number);
  const bool is_in_list = category == Category::kOperator || category == Category::kAnnotation;
  if (is_in_list && event.index.is_known) indices_.add(thread, event.index.value);
  if (category == Category::kOperator && event.sequence.is_known) {
    links_.add(thread, number, event.sequence.value, event.forward_thread.or_else(0));
  }
}

void EventTimeline::add_begin(const ProfilerEvent& event) {
  if (!has_times(event) || is_device(event.category)) return;
  const Category category =
      event.category == Category::kNone ? category_by_name(event.name, Category::kOperator) : event.category;
  const uint32_t thread = thread_of(event, category);
  ImportedSpan span;
  span.begin_ns = span.end_ns = event.time_ns;
  describe(event, category, thread, &span);
  threads_.thread(thread).open.push_back(threads_.add(thread, span));
  ++spans_;
  if (category == Category::kUnknown) ++unknown_spans_;
}

void EventTimeline::add_end(const ProfilerEvent& event) {
  if (!has_times(event) || is_device(event.category)) return;
  const uint32_t number = thread_of(event, event.category);
  HostThread& thread = threads_.thread(number);
  if (thread.open.empty()) return timeline_->note("end of an event that has not begun");
  ImportedSpan& span = threads_.span(number, thread.open.back());
  thread.open.pop_back();
  if (event.time_ns < span.begin_ns) return timeline_->note("event that ends before it begins");
  span.end_ns = event.time_ns;
  thread.latest_ns = std::max(thread.latest_ns, span.end_ns);
}

void EventTimeline::add_instant(const ProfilerEvent& event) {
  if (event.name != kMemoryEvent || !event.bytes.is_known || !has_times(event)) return;
  memory_.add(thread_of(event, event.category), event.time_ns, event.bytes.value,
              event.device_type.or_else(kHostDeviceType) != kHostDeviceType);
}

void EventTimeline::add_flow(const ProfilerEvent& event) {
  const bool is_end = event.phase == 'f';
  if (!event.id.is_known) return;
  if (event.category == Category::kForwardFlow) {
    if (has_times(event)) links_.add_flow(thread_of(event, event.category), event.time_ns, event.id.value, is_end);
  } else if (event.category == Category::kLaunchFlow && is_end) {
    launch_ = {event.id.value + 1, true};
  } else if (event.category == Category::kLaunchFlow && has_times(event)) {
    // The moment of the launch is all that is known of the call.
    const uint32_t thread = thread_of(event, event.category);
    HostProcess& host = *threads_.thread(thread).host;
    ImportedSpan span;
    span.begin_ns = span.end_ns = event.time_ns;
    span.name = host.process.text("launch");
    span.level = wire::Level::kRuntime;
    span.kind = wire::Kind::kRuntimeCall;
    span.correlation = static_cast<uint32_t>(event.id.value + 1);
    threads_.add(thread, span);
  }
}

void EventTimeline::add_description(const ProfilerEvent& event) {
  constexpr size_t kMaxNames = 65536;
  if (event.name != "process_name" || event.label.empty() || process_names_.size() == kMaxNames) return;
  process_names_.emplace_back(event.pid.number, event.label);
}

void EventTimeline::finish() {
  uint64_t unended = 0;
  for (uint32_t number = 0; number < threads_.threads().size(); ++number) {
    HostThread& thread = threads_.thread(number);
    unended += thread.open.size();
    for (const uint32_t open : thread.open) threads_.span(number, open).end_ns = thread.latest_ns;
  }
  if (unended > 0) timeline_->note("event that has begun and not ended", unended);
  if ((executions_.size() > 0 || ranges_.size() > 0) && !executions_.has_home())
    executions_.set_home(&timeline_->process(0));
  if (executions_.duplicates() > 0) timeline_->note("event that came twice", executions_.duplicates());
  if (ranges_.size() > 0) ranges_.give(executions_.home(), timeline_);
  memory_.count();
  indices_.tell();
  if (const uint64_t without = links_.link(); without > 0) {
    timeline_->note(std::to_string(without) + " backward operators without their forward operator", 0);
  }
  if (other_phases_ > 0) {
    timeline_->note(std::to_string(other_phases_) + " asynchronous events and counters were left out", 0);
  }
  if (unknown_spans_ > 0 && unknown_spans_ == spans_ && executions_.size() == 0) {
    timeline_->note("event of another program than PyTorch's profiler, taken as an annotation", unknown_spans_);
  }
  for (const auto& [pid, name] : process_names_) {
    for (const auto& host : threads_.processes()) {
      if (pid.is_known && pid.value == host->process.pid()) host->process.set_name(name);
    }
  }
  // Times are truncated to whole microseconds, so a child may end after its parent.
  const int64_t resolution = whole_microseconds_ ? 1000 : 1;
  timeline_->set_resolution(resolution);
  if (whole_microseconds_) calls_.tell(resolution);
}

}  // namespace xsp::kineto
