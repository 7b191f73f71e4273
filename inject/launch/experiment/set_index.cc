#include "inject/launch/experiment/set_index.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/owned_fd.h"
#include "proto/set_index.h"
#include "proto/trace_numbers.h"

namespace xsp::launch {
namespace {

using OrderedJson = nlohmann::ordered_json;
namespace member = set_index;

const char* word_of(RunState state) {
  switch (state) {
    case RunState::kPlanned:
      return member::kRunIsPlanned;
    case RunState::kRunning:
      return member::kRunIsRunning;
    case RunState::kDone:
      return member::kRunIsDone;
    case RunState::kFailed:
      return member::kRunHasFailed;
    case RunState::kOutOfMemory:
      return member::kRunWasOutOfMemory;
    case RunState::kDropped:
      return member::kRunIsDropped;
  }
  return "";
}

const char* word_of(RunPurpose purpose) {
  switch (purpose) {
    case RunPurpose::kLatencies:
      return "latencies";
    case RunPurpose::kCounters:
      return "counters";
    case RunPurpose::kSerialised:
      return "serialised";
    case RunPurpose::kWarmUp:
      return "warm-up";
  }
  return "";
}

/// As ExperimentRun.Purpose has them.
int number_of(RunPurpose purpose) {
  using Purpose = wire::ExperimentRunPurpose;
  return static_cast<int>(purpose == RunPurpose::kCounters     ? Purpose::kCounters
                          : purpose == RunPurpose::kSerialised ? Purpose::kSerialised
                                                               : Purpose::kLatencies);
}

std::string plain_name(const std::string& text) {
  std::string name = text.substr(0, 32);
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && c != '.' && c != '_') c = '_';
  }
  return name;
}

/// `003-batch-4-layer`: in order of execution in a listing, and told apart without the index.
std::string stem_of(uint32_t index, const PlannedRun& run) {
  std::string stem = fmt::format("{:03}", index);
  size_t shown = 0;
  for (const auto& [name, value] : run.parameters) {
    if (++shown <= 3) stem += fmt::format("-{}-{}", plain_name(name), plain_name(value));
  }
  if (run.purpose != RunPurpose::kLatencies) return stem + "-" + word_of(run.purpose);
  return stem + "-" + (run.level.empty() ? "all" : run.level);
}

OrderedJson json_of(const SetIndex::Run& run) {
  OrderedJson parameters = OrderedJson::object();
  for (const auto& [name, value] : run.planned.parameters) parameters[name] = value;
  OrderedJson object = {{member::kIndex, run.index},
                        {member::kTrace, run.trace},
                        {member::kLog, run.log},
                        {member::kLevel, run.planned.level},
                        {member::kRepetition, run.planned.repetition},
                        {member::kPurpose, word_of(run.planned.purpose)},
                        {member::kParameters, parameters},
                        {member::kState, word_of(run.state)}};
  for (const auto& [name, value] : run.planned.variables) object[member::kVariables][name] = value;
  const bool ended =
      run.state == RunState::kDone || run.state == RunState::kFailed || run.state == RunState::kOutOfMemory;
  if (ended) {
    object[run.ending.by_signal ? member::kSignal : member::kExitStatus] = run.ending.code;
    object[member::kSeconds] = run.seconds;
  }
  if (!run.why.empty()) object[member::kWhy] = run.why;
  return object;
}

std::string text_of(const SetIndex& index) {
  OrderedJson runs = OrderedJson::array();
  for (const SetIndex::Run& run : index.runs) runs.push_back(json_of(run));
  OrderedJson object = {
      {member::kFormat, member::kFormatVersion}, {member::kSet, index.id},      {member::kProgram, index.program},
      {member::kCommand, index.command},         {member::kBegan, index.began}, {member::kState, index.state}};
  if (!index.stopped_by.empty()) object[member::kStoppedBy] = index.stopped_by;
  if (!index.warm_up_log.empty()) object[member::kWarmUpLog] = index.warm_up_log;
  object[member::kRuns] = runs;
  return object.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

bool write_whole(int fd, const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t written = write(fd, text.data() + at, text.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    at += static_cast<size_t>(written);
  }
  return fsync(fd) == 0;
}

/// The name of a file in `object` that cannot lead out of the folder.
void add_name(const OrderedJson& object, const char* key, std::vector<std::string>* names) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return;
  const std::string name = found->get<std::string>();
  if (!name.empty() && name.find('/') == std::string::npos && name != "." && name != "..") names->push_back(name);
}

}  // namespace

void SetIndex::add(PlannedRun run) {
  const auto number = static_cast<uint32_t>(runs.size() + 1);
  const std::string stem = stem_of(number, run);
  runs.push_back({.planned = std::move(run), .index = number, .trace = stem + ".pb", .log = stem + ".log"});
}

SetIndex new_index(const std::string& program, const std::vector<std::string>& command) {
  SetIndex index;
  uint64_t id = 0;
  if (getrandom(&id, sizeof id, 0) != sizeof id) id = static_cast<uint64_t>(std::time(nullptr)) << 20 | getpid();
  index.id = fmt::format("{:016x}", id);
  index.program = program + " " XSP_VERSION;
  index.command = command;
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[32] = {};
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  index.began = text;
  return index;
}

Status write_index(const std::string& folder, const SetIndex& index) {
  const std::string path = folder + "/" + member::kFileName;
  const std::string beside = path + ".partial";
  unlink(beside.c_str());
  OwnedFd file(open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  const bool written = file && write_whole(file.get(), text_of(index));
  file.reset();
  if (written && std::rename(beside.c_str(), path.c_str()) == 0) return {};
  const int error = errno;
  unlink(beside.c_str());
  return {fmt::format("cannot write {} ({})", path, std::strerror(error)), "--output names another place"};
}

std::optional<std::vector<std::string>> files_of_set(const std::string& folder) {
  std::ifstream file(folder + "/" + member::kFileName);
  const OrderedJson index = OrderedJson::parse(file, nullptr, false);
  if (!index.is_object() || !index.contains(member::kFormat) || !index.contains(member::kSet)) return std::nullopt;
  const auto runs = index.find(member::kRuns);
  if (runs == index.end() || !runs->is_array()) return std::nullopt;
  std::vector<std::string> names;
  for (const OrderedJson& run : *runs) {
    if (!run.is_object()) return std::nullopt;
    add_name(run, member::kTrace, &names);
    add_name(run, member::kLog, &names);
  }
  add_name(index, member::kWarmUpLog, &names);
  names.emplace_back(member::kFileName);
  return names;
}

std::string run_json(const SetIndex& index, const SetIndex::Run& run) {
  OrderedJson parameters = OrderedJson::array();
  for (const auto& [name, value] : run.planned.parameters) parameters.push_back(OrderedJson::array({name, value}));
  const OrderedJson object = {{run_object::kSet, index.id},
                              {run_object::kIndex, run.index},
                              {run_object::kRepetition, run.planned.repetition},
                              {run_object::kPurpose, number_of(run.planned.purpose)},
                              {run_object::kParameters, parameters},
                              {run_object::kInputs, run.planned.inputs}};
  return object.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace xsp::launch
