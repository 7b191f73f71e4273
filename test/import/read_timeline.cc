#include "test/import/read_timeline.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "test/catch.h"
#include "test/collector/memory_file.h"
#include "test/temporary_folder.h"

namespace xsp::test {
namespace {

using SpanKey = std::tuple<uint32_t, uint32_t, uint32_t>;  // process, ring, id

template <typename Column>
auto at(const Column& column, int i, uint32_t count) {
  REQUIRE((column.empty() || column.size() == static_cast<int>(count)));
  using Value = std::decay_t<decltype(column.Get(0))>;
  return column.empty() ? Value{} : column.Get(i);
}

uint64_t from_zigzag(uint64_t value) { return (value >> 1) ^ (~(value & 1) + 1); }

uint64_t from_distance(uint64_t value, uint64_t& last) {
  if (value != 0) last += from_zigzag(value - 1);
  return value == 0 ? 0 : last;
}

class Reader {
 public:
  explicit Reader(ImportedTrace& result) : result_(result) {}

  void read() {
    std::map<uint32_t, uint64_t> sequences;
    for (const Packet& packet : result_.trace.packet()) {
      REQUIRE(packet.sequence() == ++sequences[packet.process()]);
      process_ = packet.process();
      read(packet);
    }
    REQUIRE(result_.trace.packet_size() > 1);
    REQUIRE(result_.trace.packet(0).has_header());
    const Packet& last = result_.trace.packet(result_.trace.packet_size() - 1);
    REQUIRE(last.has_trace_end());
    CHECK(last.trace_end().spans() == result_.spans.size() + result_.executions.size());
    CHECK(last.trace_end().processes() == result_.processes.size());
    resolve();
  }

 private:
  std::string text(uint32_t id) const {
    if (id == 0) return {};
    const auto found = strings_.find({process_, id});
    REQUIRE(found != strings_.end());
    return found->second;
  }

  void read(const Packet& packet) {
    if (packet.has_header()) result_.header = packet.header();
    if (packet.has_hello()) result_.processes.push_back(packet.hello());
    if (packet.has_device()) result_.devices.push_back(packet.device());
    if (packet.has_notice()) result_.notes.push_back(packet.notice().text());
    uint32_t id = packet.strings().first_id();
    for (const auto& text : packet.strings().text()) strings_[{process_, id++}] = text;
    if (packet.has_arguments()) read(packet.arguments());
    if (packet.has_spans()) read(packet.spans());
    if (packet.has_activities()) read(packet.activities());
    if (packet.has_counters()) read(packet.counters());
  }

  void read(const ArgumentBatch& batch) {
    uint32_t span = 0;
    size_t used = 0;
    for (int i = 0; i < batch.span_size(); ++i) {
      span += static_cast<uint32_t>(from_zigzag(batch.span(i)));
      REQUIRE(used + batch.length(i) <= batch.values().size());
      arguments_[{process_, batch.ring(), span}] = {text(batch.layout(i)),
                                                    batch.values().substr(used, batch.length(i))};
      used += batch.length(i);
    }
    REQUIRE(used == batch.values().size());
  }

  void read(const SpanBatch& batch) {
    uint64_t begin = 0;
    uint64_t correlation = 0;
    uint64_t forward = 0;
    uint32_t id = 0;
    const uint32_t count = batch.count();
    REQUIRE(batch.first_record() == records_[{process_, batch.ring()}]);
    records_[{process_, batch.ring()}] += batch.record_count();
    for (int i = 0; i < static_cast<int>(count); ++i) {
      ImportedSpanRead span;
      span.process = process_;
      span.thread = batch.thread();
      span.ring = batch.ring();
      id += static_cast<uint32_t>(from_zigzag(at(batch.id(), i, count)));
      span.id = id;
      const uint32_t parent = at(batch.parent(), i, count);
      span.parent = parent == 0 ? 0 : id - parent;
      begin += static_cast<uint64_t>(at(batch.begin(), i, count));
      span.begin = begin;
      span.end = begin + at(batch.duration(), i, count);
      span.bytes = at(batch.bytes(), i, count);
      span.level = at(batch.level_kind(), i, count) & 7;
      span.kind = at(batch.level_kind(), i, count) >> 3;
      span.correlation = static_cast<uint32_t>(from_distance(at(batch.correlation(), i, count), correlation));
      span.name = text(at(batch.name(), i, count));
      span.type = text(at(batch.type(), i, count));
      span.shape = text(at(batch.shape(), i, count));
      span.input = text(at(batch.input(), i, count));
      span.scope = text(at(batch.scope(), i, count));
      span.failed = at(batch.failed(), i, count) != 0;
      span.has_bytes = batch.has_bytes() || at(batch.bytes_known(), i, count) != 0;
      const auto forward_id = static_cast<uint32_t>(from_distance(at(batch.forward(), i, count), forward));
      forwards_.emplace_back(process_, at(batch.forward_ring(), i, count), forward_id);
      if (const auto found = arguments_.find({process_, span.ring, id}); found != arguments_.end()) {
        std::tie(span.layout, span.values) = found->second;
        if (span.layout == "inputs:s4 outputs:s4 values:s4") {
          REQUIRE(span.values.size() == 12);
          span.inputs = text(number(span.values, 0));
          span.outputs = text(number(span.values, 4));
          span.operator_values = text(number(span.values, 8));
        }
      }
      REQUIRE(id != 0);
      REQUIRE(names_.emplace(SpanKey{process_, span.ring, id}, span.name).second);
      result_.spans.push_back(std::move(span));
    }
  }

  void read(const ActivityBatch& batch) {
    uint64_t begin = 0;
    uint64_t correlation = 0;
    uint64_t node = 0;
    uint64_t launch = 0;
    const uint32_t count = batch.count();
    for (int i = 0; i < static_cast<int>(count); ++i) {
      ImportedExecutionRead execution;
      execution.process = process_;
      const auto queue = at(batch.queue_index(), i, count);
      REQUIRE(queue < static_cast<uint32_t>(batch.queue_size()));
      execution.device = batch.queue(static_cast<int>(queue)).device();
      execution.context = batch.queue(static_cast<int>(queue)).context();
      execution.stream = batch.queue(static_cast<int>(queue)).stream();
      begin += static_cast<uint64_t>(at(batch.begin(), i, count));
      execution.begin = begin;
      execution.end = begin + at(batch.duration(), i, count);
      execution.bytes = at(batch.bytes(), i, count);
      REQUIRE((at(batch.level_kind(), i, count) & 7) == LEVEL_DEVICE);
      execution.kind = at(batch.level_kind(), i, count) >> 3;
      execution.correlation = static_cast<uint32_t>(from_distance(at(batch.correlation(), i, count), correlation));
      execution.graph_node = from_distance(at(batch.graph_node(), i, count), node);
      execution.graph = at(batch.graph(), i, count);
      execution.name = text(at(batch.name(), i, count));
      execution.configuration = text(at(batch.configuration(), i, count));
      execution.launch_ring = at(batch.launch_ring(), i, count);
      execution.launch = static_cast<uint32_t>(from_distance(at(batch.launch(), i, count), launch));
      result_.executions.push_back(std::move(execution));
    }
  }

  void read(const CounterBatch& batch) {
    uint64_t execution = 0;
    REQUIRE(batch.execution_size() == static_cast<int>(batch.count()));
    REQUIRE(batch.value_size() == batch.metric_size() * static_cast<int>(batch.count()));
    for (int i = 0; i < static_cast<int>(batch.count()); ++i) {
      execution += from_zigzag(batch.execution(i));
      for (int metric = 0; metric < batch.metric_size(); ++metric) {
        const double value = batch.value(i * batch.metric_size() + metric);
        if (value != value) continue;
        result_.counters.push_back(
            {process_, batch.device(), text(batch.name(i)), execution - 1, text(batch.metric(metric)), value});
      }
    }
  }

  /// What may point to something that comes later.
  void resolve() {
    for (size_t i = 0; i < result_.spans.size(); ++i) {
      ImportedSpanRead& span = result_.spans[i];
      if (span.parent != 0) {
        REQUIRE(names_.count({span.process, span.ring, span.parent}) == 1);
        span.parent_name = names_[{span.process, span.ring, span.parent}];
      }
      const auto [process, ring, id] = forwards_[i];
      if (ring != 0) span.forward_name = names_.at({process, ring - 1, id});
    }
    for (ImportedExecutionRead& execution : result_.executions) {
      if (execution.launch_ring == 0) continue;
      execution.launch_name = names_.at({execution.process, execution.launch_ring - 1, execution.launch});
    }
  }

  static uint32_t number(const std::string& bytes, size_t at) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) value |= uint32_t{static_cast<uint8_t>(bytes[at + i])} << (8 * i);
    return value;
  }

  ImportedTrace& result_;
  uint32_t process_ = 0;
  std::map<std::pair<uint32_t, uint32_t>, std::string> strings_;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> records_;
  std::map<SpanKey, std::pair<std::string, std::string>> arguments_;
  std::map<SpanKey, std::string> names_;
  std::vector<SpanKey> forwards_;  // by span: process, ring + 1, id
};

template <typename Rows>
const typename Rows::value_type& find(const Rows& rows, std::string_view name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
  INFO("looking for " << name);
  REQUIRE(found != rows.end());
  return *found;
}

}  // namespace

const ImportedSpanRead& ImportedTrace::span(std::string_view name) const { return find(spans, name); }

const ImportedExecutionRead& ImportedTrace::execution(std::string_view name) const { return find(executions, name); }

size_t ImportedTrace::count_spans(std::string_view name) const {
  return static_cast<size_t>(
      std::count_if(spans.begin(), spans.end(), [&](const auto& row) { return row.name == name; }));
}

bool ImportedTrace::has_note(std::string_view part) const {
  return std::any_of(notes.begin(), notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

ImportedTrace read_timeline(ProfileTimeline* timeline, std::string_view format, const ImportChoices& choices) {
  MemoryFile file;
  TraceWriter writer(file);
  ImportedTrace result;
  result.totals = write_timeline(timeline, format, {"profile"}, choices, writer);
  writer.flush();
  REQUIRE(!writer.failed());
  REQUIRE(writer.lost_packets() == 0);
  REQUIRE(result.trace.ParseFromString(file.bytes));
  Reader(result).read();
  return result;
}

ImportedTrace import_file(const Importer& importer, const std::string& path) {
  std::unique_ptr<ProfileInput> input;
  const Status opened = open_profile_input(path, {}, &input);
  INFO(opened.error);
  REQUIRE(opened.ok());
  CHECK(importer.recognise(input->head(size_t{64} << 10)) > 0);
  ProfileTimeline timeline;
  const Status read = importer.read(*input, &timeline);
  INFO(read.error);
  REQUIRE(read.ok());
  return read_timeline(&timeline, importer.name);
}

ImportedTrace import_text(const Importer& importer, std::string_view text) {
  TemporaryFolder folder;
  write_file(folder / "profile", std::string(text));
  return import_file(importer, folder / "profile");
}

std::string import_error(const Importer& importer, std::string_view text) {
  TemporaryFolder folder;
  write_file(folder / "profile", std::string(text));
  std::unique_ptr<ProfileInput> input;
  REQUIRE(open_profile_input(folder / "profile", {}, &input).ok());
  ProfileTimeline timeline;
  const Status read = importer.read(*input, &timeline);
  REQUIRE(!read.ok());
  return read.error;
}

}  // namespace xsp::test
