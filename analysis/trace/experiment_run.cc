#include "analysis/trace/experiment_run.h"

#include <cmath>

#include "analysis/trace/packet_fields.h"

namespace xsp::analysis {

using packet::bytes;
using packet::fields;
using packet::number;

namespace {

constexpr uint32_t kLastPurpose = static_cast<uint32_t>(RunPurpose::kSerialised);

constexpr uint32_t float64(uint32_t field) { return protozero::tag_and_type(field, protozero::pbf_wire_type::fixed64); }

std::pair<std::string, std::string> read_parameter(protozero::pbf_reader reader) {
  std::pair<std::string, std::string> parameter;
  while (reader.next()) {
    if (reader.tag_and_type() == bytes(1)) {
      parameter.first = reader.get_string();
    } else if (reader.tag_and_type() == bytes(2)) {
      parameter.second = reader.get_string();
    } else {
      reader.skip();
    }
  }
  return parameter;
}

}  // namespace

bool read_experiment_run(std::string_view encoded, ExperimentRun* run) {
  auto reader = fields(encoded);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case bytes(1):
        run->set = reader.get_string();
        break;
      case number(2):
        run->index = reader.get_uint32();
        break;
      case number(3):
        run->repetition = reader.get_uint32();
        break;
      case number(4): {
        const uint32_t purpose = reader.get_uint32();
        if (purpose > kLastPurpose) return false;
        run->purpose = static_cast<RunPurpose>(purpose);
        break;
      }
      case bytes(5):
        run->parameters.push_back(read_parameter(reader.get_message()));
        break;
      case float64(6):
        if (const double inputs = reader.get_double(); std::isfinite(inputs) && inputs > 0) run->inputs = inputs;
        break;
      default:
        reader.skip();
    }
  }
  return !run->set.empty();
}

std::string point_label(const ExperimentRun& run) {
  std::string label;
  for (const auto& [name, value] : run.parameters) label += (label.empty() ? "" : " ") + name + "=" + value;
  return label;
}

}  // namespace xsp::analysis
