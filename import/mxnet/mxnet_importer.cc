/// Profiles of MXNet, from 0.9 on (mxnet.profiler, MXNET_PROFILER_AUTOSTART):
///
///     {"traceEvents": [
///       {"ph": "M", "args": {"name": "gpu/0"}, "pid": 8, "name": "process_name"},
///       {"name": "Convolution", "cat": "operator", "ph": "B", "ts": 1589000000000000, "pid": 8, "tid": 1234567890},
///       {"name": "Convolution", "cat": "operator", "ph": "E", "ts": 1589000000000420, "pid": 8, "tid": 1234567890},
///       …]}
///
/// `pid` is a device, or the hash of a category, and `tid` the hash of a thread's id. Times are whole microseconds
/// since 1970. An operator lasts from when the engine calls it until it reports completion: on a GPU that includes the
/// wait for its stream, and is not a kernel time. Every operator appears a second time, as an asynchronous task.
/// https://github.com/apache/mxnet: src/profiler/profiler.h, src/profiler/profiler.cc, src/engine/threaded_engine.h.

#include <map>
#include <vector>

#include "import/frame/importer.h"
#include "import/frame/trace_events.h"

namespace xsp {
namespace {

using wire::Kind;

/// Clock resolution, at both ends.
constexpr int64_t kResolutionNs = 1000;
/// Events that began and never ended.
constexpr size_t kMaxOpen = 1 << 16;

constexpr std::string_view kOperator = "operator";
constexpr std::string_view kCustomOperator = "Custom Operator";
/// Before MXNet 1.1 only operators, all of this category, were recorded.
constexpr std::string_view kOnlyCategory = "category";

bool is_operator(const TraceEvent& event) {
  return event.category == kOperator || event.category == kCustomOperator || event.category == kOnlyCategory;
}

int recognise(std::string_view head) {
  if (first_character(head) != '{' || head.find("\"traceEvents\"") == std::string_view::npos) return 0;
  if (has_member(head, "name", "cpu/0")) return 95;
  return has_member(head, "cat", kOperator) && has_member(head, "ph", "B") ? 60 : 0;
}

class MxnetProfile {
 public:
  explicit MxnetProfile(ProfileTimeline* timeline) : timeline_(timeline), process_(timeline->process(0)) {}

  void add(const TraceEvent& event) {
    const char phase = event.phase.size() == 1 ? event.phase[0] : '\0';
    switch (phase) {
      case 'M':
        if (event.name == "process_name" && event.process) devices_[*event.process] = text_of(event.args, "name");
        return;
      case 'C':
      case 'i':
      case 'n':
        ++left_out_;
        return;
      case 'X':
        if (event.begin_ns && event.duration_ns) {
          add_span(event, *event.begin_ns, event.end_ns());
        } else {
          timeline_->note("event without a time");
        }
        return;
      case 'B':
      case 'b':
      case '(':
        begin(event, phase);
        return;
      case 'E':
        end(event, 'B');
        return;
      case 'e':
        end(event, 'b');
        return;
      case ')':
        end(event, '(');
        return;
      default:
        timeline_->note("event of an unknown kind");
    }
  }

  bool is_empty() const { return spans_ == 0; }

  void finish() {
    for (const auto& [key, open] : open_) {
      if (!open.empty()) timeline_->note("event that begins and does not end", open.size());
    }
    timeline_->set_resolution(kResolutionNs);
    timeline_->set_realtime_origin(0);
    if (left_out_ != 0) timeline_->note(std::to_string(left_out_) + " counters and marks were left out", 0);
    for (const auto& [device, operators] : operators_of_) {
      std::string text = std::to_string(operators) + " operators on " + device;
      if (device.starts_with("gpu")) text += ": times of MXNet's engine with the wait for the stream, not of kernels";
      timeline_->note(text, 0);
    }
  }

 private:
  /// What is open: by device, thread and kind of event.
  struct Key {
    int64_t process;
    uint64_t thread;
    char phase;
    auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr): of its 0
  };
  struct Open {
    uint32_t name;
    int64_t begin_ns;
  };

  static Key key_of(const TraceEvent& event, char phase) {
    return {event.process.value_or(0), event.thread.value_or(0), phase};
  }

  /// Whether it is the copy of an operator as a task.
  static bool is_copy(const TraceEvent& event, char phase) {
    return phase == 'b' && (event.category == kOperator || event.category == kCustomOperator);
  }

  void begin(const TraceEvent& event, char phase) {
    if (is_copy(event, phase)) return;
    if (!event.begin_ns) {
      timeline_->note("event without a time");
    } else if (open_count_ == kMaxOpen) {
      timeline_->note("event that begins and does not end");
    } else {
      open_[key_of(event, phase)].push_back({process_.text(event.name), *event.begin_ns});
      ++open_count_;
    }
  }

  /// A begin and its end are written together, also for nested ones; so the last open one of that name is meant.
  void end(const TraceEvent& event, char phase) {
    if (is_copy(event, phase)) return;
    auto& open = open_[key_of(event, phase)];
    const uint32_t name = process_.text(event.name);
    for (size_t i = open.size(); i-- > 0;) {
      if (open[i].name != name) continue;
      const int64_t begin_ns = open[i].begin_ns;
      open.erase(open.begin() + static_cast<ptrdiff_t>(i));
      --open_count_;
      if (!event.begin_ns) {
        timeline_->note("event without a time");
      } else if (*event.begin_ns < begin_ns) {
        timeline_->note("event that ends before it begins");
      } else {
        add_span(event, begin_ns, *event.begin_ns);
      }
      return;
    }
    timeline_->note("event that ends and did not begin");
  }

  void add_span(const TraceEvent& event, int64_t begin_ns, int64_t end_ns) {
    ImportedSpan span;
    span.begin_ns = begin_ns;
    span.end_ns = end_ns;
    span.name = process_.text(event.name);
    if (is_operator(event)) {
      span.kind = Kind::kOperator;
      span.type = span.name;
      const auto device = event.process ? devices_.find(*event.process) : devices_.end();
      ++operators_of_[device == devices_.end() ? std::string("an unnamed device") : device->second];
    } else {
      span.kind = Kind::kAnnotation;
      span.type = process_.text(event.category);
    }
    process_.add_span(process_.thread(threads_.of(event.thread.value_or(0))), span);
    ++spans_;
  }

  ProfileTimeline* timeline_;
  ImportedProcess& process_;
  ThreadNumbers threads_;
  std::map<Key, std::vector<Open>> open_;
  std::map<int64_t, std::string> devices_;
  std::map<std::string, uint64_t> operators_of_;
  uint64_t spans_ = 0;
  uint64_t left_out_ = 0;
  size_t open_count_ = 0;
};

Status read(ProfileInput& input, ProfileTimeline* timeline) {
  TraceEvents events(input, {"traceEvents[]"});
  MxnetProfile profile(timeline);
  TraceEvent event;
  while (events.next(&event)) profile.add(event);
  if (!profile.is_empty()) profile.finish();
  return events.finish(!profile.is_empty(), "an MXNet profile", timeline);
}

}  // namespace

const Importer kMxnetImporter = {"mxnet", "MXNet's profile (mxnet.profiler)", recognise, read};

}  // namespace xsp
