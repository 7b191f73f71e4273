#include "import/kineto/trace_members.h"

#include <string>
#include <utility>

#include "base/json_pieces.h"
#include "import/kineto/decimal_time.h"

namespace xsp::kineto {
namespace {

/// More devices than any program can use are damage.
constexpr size_t kMaxDevices = 1024;
/// Times since 1970 are larger, times since boot are smaller: the year 2001.
constexpr int64_t kEpochNs = int64_t{1'000'000'000} * 1'000'000'000;

simdjson::padded_string_view padded(std::string_view json) {
  return simdjson::padded_string_view(json.data(), json.size(), json.size() + JsonPieces::kPadding);
}

/// Calls `member(key, value)` for each member. False: one is damaged, and simdjson must not be used beyond it.
template <typename Function>
bool for_each_member(simdjson::ondemand::object& object, Function&& member) {
  for (auto field : object) {
    std::string_view key;
    simdjson::ondemand::value value;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS || field.value().get(value) != simdjson::SUCCESS) {
      return false;
    }
    member(key, value);
  }
  return true;
}

int64_t positive(simdjson::ondemand::value& value) {
  int64_t number = 0;
  return to_integer(value.raw_json_token(), &number) && number > 0 ? number : 0;
}

uint32_t count(simdjson::ondemand::value& value) {
  const int64_t number = positive(value);
  return number > UINT32_MAX ? 0 : static_cast<uint32_t>(number);
}

}  // namespace

void TraceMembers::read(std::string_view name, std::string_view json) {
  if (name == "deviceProperties" || name == "computeProperties") {
    read_devices(json);
  } else if (name == "distributedInfo") {
    read_distribution(json);
  } else if (name == "cuda_driver_version") {
    to_integer(json, &driver_version_);
  } else if (name == "baseTimeNanoseconds") {
    has_base_ = to_integer(json, &base_ns_);
  }
}

void TraceMembers::read_devices(std::string_view json) {
  simdjson::ondemand::document document;
  simdjson::ondemand::array array;
  if (parser_.iterate(padded(json)).get(document) != simdjson::SUCCESS) return;
  if (document.get_array().get(array) != simdjson::SUCCESS) return;
  devices_.clear();
  for (auto element : array) {
    simdjson::ondemand::object object;
    if (element.get_object().get(object) != simdjson::SUCCESS || devices_.size() == kMaxDevices) return;
    ImportedDevice device;
    const bool is_whole = for_each_member(object, [&](std::string_view key, simdjson::ondemand::value& value) {
      std::string_view name;
      if (key == "id") device.index = count(value);
      if (key == "name" && value.get_string().get(name) == simdjson::SUCCESS) device.name = name;
      if (key == "totalGlobalMem") device.memory_bytes = static_cast<uint64_t>(positive(value));
      // The second names are computeProperties', before 2021-06.
      if (key == "computeMajor" || key == "major") device.compute_capability_major = count(value);
      if (key == "computeMinor" || key == "minor") device.compute_capability_minor = count(value);
      if (key == "numSms" || key == "multiProcessorCount") device.multiprocessors = count(value);
    });
    devices_.push_back(std::move(device));
    if (!is_whole) return;
  }
}

void TraceMembers::read_distribution(std::string_view json) {
  simdjson::ondemand::document document;
  simdjson::ondemand::object object;
  if (parser_.iterate(padded(json)).get(document) != simdjson::SUCCESS) return;
  if (document.get_object().get(object) != simdjson::SUCCESS) return;
  constexpr std::pair<std::string_view, std::string_view> kVariables[] = {
      {"rank", "RANK"}, {"world_size", "WORLD_SIZE"}, {"local_rank", "LOCAL_RANK"}};
  for_each_member(object, [&](std::string_view key, simdjson::ondemand::value& value) {
    int64_t number = 0;
    for (const auto& [theirs, ours] : kVariables) {
      if (key != theirs || !to_integer(value.raw_json_token(), &number)) continue;
      variables_.emplace_back(ours, std::to_string(number));
    }
  });
}

void TraceMembers::finish(int64_t first_ns, ProfileTimeline* timeline) const {
  if (has_base_) {
    timeline->set_realtime_origin(base_ns_);
  } else if (first_ns > kEpochNs) {
    timeline->set_realtime_origin(0);
  }
  for (ImportedProcess& process : timeline->processes()) {
    for (const auto& [name, value] : variables_) process.set_variable(name, value);
    if (&process != &timeline->processes().front()) continue;
    for (ImportedDevice device : devices_) {
      if (driver_version_ > 0 && driver_version_ < UINT32_MAX) {
        device.driver_version = static_cast<uint32_t>(driver_version_);
      }
      process.add_device(std::move(device));
    }
  }
}

}  // namespace xsp::kineto
