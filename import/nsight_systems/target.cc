#include "import/nsight_systems/target.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "base/number_text.h"

namespace xsp::nsight_systems {
namespace {

/// The same as in inject/send/process_packets.cc.
constexpr std::array<std::string_view, 8> kVariables = {"RANK",
                                                        "LOCAL_RANK",
                                                        "WORLD_SIZE",
                                                        "SLURM_PROCID",
                                                        "OMPI_COMM_WORLD_RANK",
                                                        "CUDA_VISIBLE_DEVICES",
                                                        "OMP_NUM_THREADS",
                                                        "CUDA_LAUNCH_BLOCKING"};
/// Exports before 2021 give memory in MiB and clocks in kHz, later ones bytes and Hz.
constexpr uint64_t kLargestInMebibytes = uint64_t{1} << 24;
constexpr uint64_t kLargestInKilohertz = 10'000'000;

uint32_t kilohertz(uint64_t clock) {
  return static_cast<uint32_t>(std::min<uint64_t>(clock > kLargestInKilohertz ? clock / 1000 : clock, UINT32_MAX));
}

uint64_t bytes(uint64_t memory) { return memory < kLargestInMebibytes ? memory << 20 : memory; }

/// A device whose name, compute capability, multiprocessors, memory, clock, cache and bandwidth are in the columns from
/// `first` on.
ImportedDevice device_of(Rows& rows, int first) {
  ImportedDevice device;
  device.name = rows.text(first);
  device.compute_capability_major = rows.small(first + 1);
  device.compute_capability_minor = rows.small(first + 2);
  device.multiprocessors = rows.small(first + 3);
  device.memory_bytes = bytes(rows.natural(first + 4));
  device.clock_khz = kilohertz(rows.natural(first + 5));
  device.l2_cache_bytes = rows.natural(first + 6);
  device.memory_bandwidth = rows.natural(first + 7);
  return device;
}

/// The GPUs as the newer exports have them, by their ids in the export.
std::map<int64_t, ImportedDevice> read_gpus(Export& exported) {
  std::map<int64_t, ImportedDevice> gpus;
  const bool is_old = !exported.database().has("TARGET_INFO_GPU", "id");
  Rows rows(exported.database(), "TARGET_INFO_GPU",
            {{is_old ? "deviceId" : "id"},
             {"chipName"},
             {"name"},
             {"computeMajor"},
             {"computeMinor"},
             {"smCount"},
             {"totalMemory"},
             {"clockRate"},
             {"l2CacheSize"},
             {"memoryBandwidth"}});
  while (rows.next()) {
    ImportedDevice device = device_of(rows, 2);
    device.chip = rows.text(1);
    gpus.emplace(rows.integer(0), std::move(device));
  }
  exported.note(rows);
  return gpus;
}

/// Devices of processes, by pid and by CUDA's number of the device in that process.
using Devices = std::map<std::pair<int64_t, int64_t>, ImportedDevice>;
constexpr int64_t kAnyProcess = -1;

Devices read_devices(Export& exported) {
  Devices devices;
  const std::map<int64_t, ImportedDevice> gpus = read_gpus(exported);
  Rows newer(exported.database(), "TARGET_INFO_CUDA_DEVICE",
             {{"pid", true}, {"cudaId", true}, {"gpuId", true}, {"numMultiprocessors"}});
  while (newer.next()) {
    const auto gpu = gpus.find(newer.integer(2));
    if (gpu == gpus.end()) continue;
    ImportedDevice device = gpu->second;
    if (const uint32_t multiprocessors = newer.small(3); multiprocessors != 0) device.multiprocessors = multiprocessors;
    devices.emplace(std::pair(newer.integer(0), newer.integer(1)), std::move(device));
  }
  exported.note(newer);
  Rows older(exported.database(), "TARGET_INFO_CUDA_GPU",
             {{"pid"},
              {"deviceId", true},
              {"name"},
              {"computeCapabilityMajor"},
              {"computeCapabilityMinor"},
              {"numMultiprocessors"},
              {"globalMemorySize"},
              {"coreClockRate"},
              {"l2CacheSize"},
              {"globalMemoryBandwidth"}});
  while (older.next()) {
    devices.emplace(std::pair(older.is_null(0) ? kAnyProcess : older.integer(0), older.integer(1)),
                    device_of(older, 2));
  }
  exported.note(older);
  // The numbers that CUDA gave them are unknown: use their own.
  if (devices.empty()) {
    for (const auto& [id, device] : gpus) devices.emplace(std::pair(kAnyProcess, id), device);
  }
  return devices;
}

/// Those that the processes used.
void add_devices(Export& exported, uint32_t driver_version) {
  const Devices devices = read_devices(exported);
  for (ExportedProcess& process : exported.processes()) {
    const int64_t pid = static_cast<int64_t>(process.key & 0xFFFFFF);
    for (const uint32_t index : process.devices) {
      auto known = devices.find({pid, index});
      if (known == devices.end()) known = devices.find({kAnyProcess, index});
      if (known == devices.end()) continue;
      ImportedDevice device = known->second;
      device.index = index;
      device.driver_version = driver_version;
      process.imported->add_device(std::move(device));
    }
  }
}

void set_variable(Export& exported, std::string_view assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) return;
  const std::string_view name = assignment.substr(0, equals);
  if (std::find(kVariables.begin(), kVariables.end(), name) == kVariables.end()) return;
  std::string_view value = assignment.substr(equals + 1);
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
  for (ExportedProcess& process : exported.processes()) process.imported->set_variable(name, value);
}

/// What the target reported about itself. The environment is that of nsys, which its programs inherit.
uint32_t read_environment(Export& exported) {
  uint32_t driver_version = 0;
  Rows system(exported.database(), "TARGET_INFO_SYSTEM_ENV", {{"name", true}, {"value", true}});
  while (system.next()) {
    const std::string name(system.text(0));
    if (name == "Hostname") exported.timeline().set_hostname(system.text(1));
    if (name == "CudaDriverVersion") driver_version = number_in<uint32_t>(system.text(1)).value_or(0);
    if (name != "DeviceEnvironment") continue;
    const std::string all(system.text(1));
    for (size_t at = 0; at < all.size();) {
      const size_t end = std::min(all.find(';', at), all.size());
      set_variable(exported, std::string_view(all).substr(at, end - at));
      at = end + 1;
    }
  }
  exported.note(system);
  Rows capture(exported.database(), "META_DATA_CAPTURE", {{"name", true}, {"value", true}});
  while (capture.next()) {
    if (!capture.text(0).ends_with(":ENVIRONMENT_VARIABLE")) continue;
    set_variable(exported, std::string(capture.text(1)));
  }
  exported.note(capture);
  return driver_version;
}

void read_process_names(Export& exported) {
  std::map<uint64_t, std::string> names;  // by the serialized id without the thread
  Rows processes(exported.database(), "PROCESSES", {{"globalPid", true}, {"name", true}});
  while (processes.next()) {
    if (!processes.text(1).empty()) names[static_cast<uint64_t>(processes.integer(0)) >> 24] = processes.text(1);
  }
  exported.note(processes);
  // A process has the name of its first thread.
  Rows threads(exported.database(), "ThreadNames", {{"globalTid", true}, {"nameId", true}});
  while (threads.next()) {
    const int64_t id = threads.integer(0);
    if (Export::tid_of(id) != Export::pid_of(id)) continue;
    names.emplace(static_cast<uint64_t>(id) >> 24, exported.string(threads, 1));
  }
  exported.note(threads);
  for (ExportedProcess& process : exported.processes()) {
    if (const auto name = names.find(process.key); name != names.end()) process.imported->set_name(name->second);
  }
}

/// MPI reports ranks of processes that one nsys has profiled together.
void read_ranks(Export& exported) {
  Rows rows(exported.database(), "MPI_RANKS", {{"globalPid", true}, {"rank", true}});
  while (rows.next()) {
    for (ExportedProcess& process : exported.processes()) {
      if (process.key != static_cast<uint64_t>(rows.integer(0)) >> 24) continue;
      process.imported->set_variable("RANK", std::to_string(rows.integer(1)));
    }
  }
  exported.note(rows);
}

/// When time 0 of the export was. Times count from the beginning of the session, which ANALYSIS_DETAILS may place
/// elsewhere than at 0 (at the machine's clock), or are wall-clock times (nsys export --ts-normalize).
void read_start(Export& exported) {
  int64_t session_begin = 0;
  Rows details(exported.database(), "ANALYSIS_DETAILS", {{"startTime", true}});
  if (details.next()) session_begin = details.integer(0);
  Rows parameters(exported.database(), "META_DATA_EXPORT", {{"name", true}, {"value", true}});
  while (parameters.next()) {
    if (parameters.text(0) != "EXPORT_PARAM_TIME_NORMALIZE" || parameters.text(1) != "true") continue;
    exported.timeline().set_realtime_origin(0);
    return;
  }
  Rows start(exported.database(), "TARGET_INFO_SESSION_START_TIME", {{"utcEpochNs", true}});
  if (!start.next() || start.integer(0) <= 0 || start.integer(0) > kMaxTime) return;
  if (session_begin < 0 || session_begin > start.integer(0)) session_begin = 0;
  exported.timeline().set_realtime_origin(start.integer(0) - session_begin);
}

}  // namespace

void read_target(Export& exported) {
  const uint32_t driver_version = read_environment(exported);
  add_devices(exported, driver_version);
  read_process_names(exported);
  read_ranks(exported);
  read_start(exported);
}

}  // namespace xsp::nsight_systems
