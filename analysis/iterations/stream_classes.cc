#include "analysis/iterations/stream_classes.h"

#include <algorithm>
#include <tuple>

#include "analysis/iterations/execution_order.h"
#include "analysis/iterations/operations.h"
#include "analysis/timeline/intervals.h"

namespace xsp::analysis {
namespace {

constexpr double kShareThatMatters = 0.05;

void add(const Trace& trace, Row row, StreamContents* stream) {
  const SpanTable& spans = trace.spans;
  const int64_t duration = spans.duration(row);
  if (spans.kind[row] == Kind::kKernel) {
    ++stream->kernels;
    stream->kernel_ns += duration;
    return;
  }
  if (spans.kind[row] == Kind::kMemset) {
    ++stream->memsets;
    return;
  }
  stream->copy_ns += duration;
  switch (copy_role(trace.text(spans.name[row]))) {
    case SymbolRole::kToDevice:
      ++stream->to_device;
      stream->bytes_to_device += spans.bytes[row] == SpanTable::kUnknownBytes ? 0 : spans.bytes[row];
      break;
    case SymbolRole::kToHost:
      ++stream->to_host;
      stream->bytes_to_host += spans.bytes[row] == SpanTable::kUnknownBytes ? 0 : spans.bytes[row];
      break;
    default:
      ++stream->other_copies;
  }
}

StreamContents contents_of(const Trace& trace, uint32_t queue, std::span<const uint32_t> executions) {
  StreamContents stream{.queue = queue};
  UnionLength busy;
  stream.begin = trace.spans.begin[trace.executions.row[executions.front()]];
  stream.end = stream.begin;
  for (const uint32_t execution : executions) {
    const Row row = trace.executions.row[execution];
    add(trace, row, &stream);
    busy.add(trace.spans.begin[row], trace.spans.end[row]);
    stream.end = std::max(stream.end, trace.spans.end[row]);
  }
  stream.busy_ns = busy.length();
  return stream;
}

void classify(std::vector<StreamContents>* streams) {
  uint64_t kernels = 0;
  int64_t kernel_ns = 0;
  for (const StreamContents& stream : *streams) {
    kernels += stream.kernels;
    kernel_ns += stream.kernel_ns;
  }
  const double most_kernels = kShareThatMatters * static_cast<double>(kernels);
  const double most_ns = kShareThatMatters * static_cast<double>(kernel_ns);
  for (StreamContents& stream : *streams) {
    const bool has_kernels = stream.kernels != 0;
    const bool matters =
        static_cast<double>(stream.kernels) >= most_kernels || static_cast<double>(stream.kernel_ns) >= most_ns;
    if (has_kernels && matters) {
      stream.stream_class = StreamClass::kMain;
    } else if (!has_kernels && stream.memsets == 0) {
      stream.stream_class = StreamClass::kCopy;
    }
  }
}

}  // namespace

std::string_view stream_class_name(StreamClass value) {
  switch (value) {
    case StreamClass::kMain:
      return "main";
    case StreamClass::kCopy:
      return "copy";
    case StreamClass::kAssist:
      break;
  }
  return "assist";
}

std::vector<StreamContents> stream_contents(const Trace& trace, uint32_t process) {
  const QueuedWork work(trace, process);
  std::vector<StreamContents> streams;
  for (const uint32_t queue : queues_of(trace, process)) {
    if (!work.of(queue).empty()) streams.push_back(contents_of(trace, queue, work.of(queue)));
  }
  const auto place = [&](const StreamContents& stream) {
    const Queue& queue = trace.queues[stream.queue];
    return std::tuple(queue.device, queue.stream, queue.context);
  };
  std::sort(streams.begin(), streams.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  classify(&streams);
  return streams;
}

}  // namespace xsp::analysis
