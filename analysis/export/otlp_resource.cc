#include "analysis/export/otlp_resource.h"

#include <string_view>

#include "analysis/export/file_name.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

/// What people call the program: the script where an interpreter runs one, else the executable.
std::string program_name(const Process& process, const Segment& segment, bool with_command) {
  if (with_command) {
    for (const std::string& argument : process.command) {
      if (argument.ends_with(".py") && !argument.starts_with("-")) return std::string(file_name(argument));
    }
  }
  if (!process.executable.empty()) return std::string(file_name(process.executable));
  return segment.source.empty() ? "unknown_service" : "unknown_service:" + segment.source;
}

class Attributes {
 public:
  void add(const char* key, const std::string& value) {
    if (!value.empty()) attributes_.push_back({key, valid_utf8(value)});
  }
  void add(const char* key, int64_t value) {
    if (value != 0) attributes_.push_back({key, value});
  }
  void add(const char* key, std::vector<std::string> values) {
    for (std::string& value : values) value = valid_utf8(value);
    if (values.size() == 1) {
      add(key, values.front());
    } else if (!values.empty()) {
      attributes_.push_back({key, std::move(values)});
    }
  }
  std::vector<OtlpAttribute> take() { return std::move(attributes_); }

 private:
  std::vector<OtlpAttribute> attributes_;
};

/// Conventions have one component a resource; with several devices each attribute is a list in the order of hw.id.
void add_devices(const Trace& trace, uint32_t process, Attributes* attributes) {
  std::vector<std::string> ids;
  std::vector<std::string> models;
  uint32_t driver = 0;
  for (const Device& device : trace.devices) {
    if (device.process != process) continue;
    ids.push_back("gpu" + std::to_string(device.index));
    models.push_back(device.name);
    driver = device.driver_version;
  }
  if (ids.empty()) return;
  attributes->add("hw.type", std::string("gpu"));
  attributes->add("hw.vendor", std::string("NVIDIA"));
  attributes->add("hw.id", std::move(ids));
  attributes->add("hw.model", std::move(models));
  if (driver != 0) {
    attributes->add("xsp.cuda.version", std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10));
  }
}

}  // namespace

std::vector<OtlpAttribute> otlp_resource(const Trace& trace, uint32_t process_index, bool with_command) {
  const Process& process = trace.processes[process_index];
  const Segment& segment = trace.segments[process.segment];
  Attributes attributes;
  attributes.add("service.name", program_name(process, segment, with_command));
  attributes.add("telemetry.sdk.name", std::string("xsp"));
  attributes.add("telemetry.sdk.language", std::string("cpp"));
  attributes.add("telemetry.sdk.version", std::string(XSP_VERSION));
  attributes.add("host.name", segment.hostname);
  attributes.add("host.cpu.model.name", segment.cpu_model);
  attributes.add("process.pid", int64_t{process.pid});
  attributes.add("process.parent_pid", int64_t{process.parent_pid});
  attributes.add("process.executable.name", std::string(file_name(process.executable)));
  if (with_command) attributes.add("process.command_args", process.command);
  if (const std::string* rank = process.variable("RANK")) attributes.add("xsp.rank", *rank);
  attributes.add("xsp.source", segment.source);
  if (segment.run) {
    attributes.add("xsp.run.set", segment.run->set);
    attributes.add("xsp.run.index", int64_t{segment.run->index});
  }
  add_devices(trace, process_index, &attributes);
  return attributes.take();
}

}  // namespace xsp::analysis
