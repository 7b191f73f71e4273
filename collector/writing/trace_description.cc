#include "collector/writing/trace_description.h"

#include <cstdio>
#include <cstring>
#include <numeric>

#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/monotonic_clock.h"
#include "base/text_encoding.h"

namespace xsp {
namespace {

constexpr uint32_t kFormatVersion = 1;

std::string cpu_model() {
  std::string model;
  FILE* file = std::fopen("/proc/cpuinfo", "re");
  if (file == nullptr) return model;
  char line[256];
  for (int lines = 0; lines < 64 && std::fgets(line, sizeof line, file) != nullptr; ++lines) {
    if (std::strncmp(line, "model name", 10) != 0) continue;
    const char* colon = std::strchr(line, ':');
    if (colon != nullptr) model = colon + 1;
    while (!model.empty() && model.front() == ' ') model.erase(0, 1);
    while (!model.empty() && model.back() == '\n') model.pop_back();
    break;
  }
  std::fclose(file);
  return model;
}

void write_run(WireWriter& body, const ExperimentRun& run) {
  const auto message = body.begin(17);
  body.string(1, run.set);
  body.uint64(2, run.index);
  body.uint64(3, run.repetition);
  body.uint64(4, run.purpose);
  for (const auto& [name, value] : run.parameters) {
    const auto parameter = body.begin(5);
    body.string(1, name);
    body.string(2, value);
    body.end(parameter);
  }
  body.float64(6, run.inputs);
  body.end(message);
}

}  // namespace

void write_trace_header(TraceWriter& writer, const TraceSubject& subject, const RecordingPart& part) {
  uint8_t id[16] = {};
  (void)::getrandom(id, sizeof id, GRND_NONBLOCK);
  utsname system{};
  ::uname(&system);
  std::vector<std::string> command;
  size_t capacity = 4096 + subject.level.size();
  for (const auto& argument : subject.command) {
    command.push_back(trace_text(argument));
    capacity += argument.size() + 16;
  }
  ExperimentRun run = subject.run;
  for (auto& [name, value] : run.parameters) {
    name = trace_text(name);
    value = trace_text(value);
    capacity += name.size() + value.size() + 32;
  }
  writer.write(0, Body::kHeader, capacity, [&](WireWriter& body) {
    body.uint64(1, kFormatVersion);
    body.string(2, "xsp-collector " XSP_VERSION);
    body.bytes(3, id, sizeof id);
    body.sint64(4, realtime_offset_ns());
    body.uint64(5, monotonic_ns());
    body.string(6, trace_text(system.nodename));
    body.string(7, trace_text(std::string(system.sysname) + " " + system.release));
    body.string(8, trace_text(cpu_model()));
    body.uint64(9, static_cast<uint64_t>(::sysconf(_SC_NPROCESSORS_ONLN)));
    for (const auto& argument : command) body.element(10, argument.data(), argument.size());
    body.string(11, trace_text(subject.level));
    body.boolean(16, subject.counted);
    if (!run.set.empty()) write_run(body, run);
    part.write(body);
  });
}

void write_trace_end(TraceWriter& writer, uint32_t processes, bool complete, const std::string& why) {
  const SpanTally& spans = writer.spans();
  writer.write(0, Body::kTraceEnd, why.size() + 96, [&](WireWriter& body) {
    body.uint64(1, monotonic_ns());
    body.uint64(2, std::accumulate(spans.begin(), spans.end(), uint64_t{0}));
    body.uint64(3, processes);
    body.boolean(4, complete);
    body.string(5, why);
  });
}

}  // namespace xsp
