#include "collector/writing/trace_description.h"

#include <cstdio>
#include <cstring>
#include <numeric>

#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/monotonic_clock.h"
#include "base/text_encoding.h"
#include "proto/packet_writer.h"
#include "proto/versions.h"

namespace xsp {
namespace {

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
  const auto message = body.begin(wire::TraceHeader::kRun);
  wire::write(body, run, [&] {
    for (const auto& [name, value] : run.parameters) {
      write_nested(body, wire::ExperimentRun::kParameters, wire::ExperimentRunParameter{.name = name, .value = value});
    }
  });
  body.end(message);
}

void write_processors(WireWriter& body, const ProcessorFacts& processors) {
  if (processors.online == 0 && processors.allowed == 0) return;
  write_nested(body, wire::TraceHeader::kProcessors,
               wire::Processors{.online = processors.online,
                                .allowed = processors.allowed,
                                .cores = processors.cores,
                                .quota = processors.quota.value_or(0),
                                .runnable = processors.runnable,
                                .load = processors.load});
}

}  // namespace

void write_trace_header(TraceWriter& writer, const TraceSubject& subject, const RecordingPart& part) {
  uint8_t id[16] = {};
  // Early at boot it could block for long: better an all-zero id than a waiting program.
  (void)!::getrandom(id, sizeof id, GRND_NONBLOCK);
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
  const wire::TraceHeaderOf<std::string> header{
      .format_version = kFormatVersion,
      .producer = "xsp-collector " XSP_VERSION,
      .trace_id = std::string(reinterpret_cast<const char*>(id), sizeof id),
      .realtime_offset_ns = realtime_offset_ns(),
      .begin_ns = monotonic_ns(),
      .hostname = trace_text(system.nodename),
      .kernel = trace_text(std::string(system.sysname) + " " + system.release),
      .cpu_model = trace_text(cpu_model()),
      .cpu_count = static_cast<uint32_t>(::sysconf(_SC_NPROCESSORS_ONLN)),
      .requested_level = trace_text(subject.level),
      .counted = subject.counted};
  writer.write(0, Body::kHeader, capacity, [&](WireWriter& body) {
    const auto write_command = [&] {
      for (const auto& word : command) body.element(wire::TraceHeader::kCommand, word.data(), word.size());
    };
    const auto write_run_of_set = [&] {
      if (!run.set.empty()) write_run(body, run);
    };
    wire::write(
        body, header, write_command, [] {}, write_run_of_set, [&] { part.write(body); },
        [&] { write_processors(body, subject.processors); });
  });
}

void write_trace_end(TraceWriter& writer, uint32_t processes, bool complete, const std::string& why) {
  const SpanTally& spans = writer.spans();
  writer.write(0, wire::TraceEnd{.end_ns = monotonic_ns(),
                                 .spans = std::accumulate(spans.begin(), spans.end(), uint64_t{0}),
                                 .processes = processes,
                                 .complete = complete,
                                 .why = why});
}

}  // namespace xsp
