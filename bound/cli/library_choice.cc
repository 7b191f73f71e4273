#include "bound/cli/library_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bound/backends/backend.h"
#include "bound/cli/bound_messages.h"
#include "bound/tables/source_notes.h"

namespace xsp::bound {
namespace {

/// "3.2" is a version of "3.2.0", but not of "3.20".
bool is_version(const std::string& version, const std::string& wanted) {
  return version == wanted || version.starts_with(wanted + ".");
}

Status restrict_versions(const BoundOptions& options, std::vector<Library>* libraries) {
  for (const auto& wanted : options.versions) {
    const std::string& name = wanted.first;
    const std::string& version = wanted.second;
    const auto is_wanted = [&](const Library& library) {
      return library.name == name && is_version(library.version, version);
    };
    if (std::none_of(libraries->begin(), libraries->end(), is_wanted)) {
      return {fmt::format("--library {}={} is not there", name, version), "there are: " + library_list(*libraries)};
    }
    std::erase_if(*libraries, [&](const Library& library) { return library.name == name && !is_wanted(library); });
  }
  return {};
}

/// "onednn 3.2.0" as systems() has it. Most libraries have the name of their back end; others are of BLAS.
Library measured_library(const std::string& text) {
  Library library;
  const size_t blank = text.rfind(' ');
  library.name = text.substr(0, blank);
  if (blank != std::string::npos) library.version = text.substr(blank + 1);
  const std::vector<std::string> backends = backend_names();
  const bool is_own_backend = std::find(backends.begin(), backends.end(), library.name) != backends.end();
  library.backend = is_own_backend ? library.name : "blas";
  return library;
}

std::vector<std::string> backends_of(bool on_device) {
  std::vector<std::string> names = backend_names();
  std::erase_if(names, [on_device](const std::string& name) { return computes_on_device(name) != on_device; });
  return names;
}

Status check_one_system(const BoundOptions& options) {
  std::string of_processor;
  std::string of_gpu;
  for (const std::string& name : options.backends) {
    std::string& list = computes_on_device(name) ? of_gpu : of_processor;
    list += (list.empty() ? "" : ", ") + name;
  }
  if (of_processor.empty() || of_gpu.empty()) return {};
  return {fmt::format("--backend names libraries of the processor ({}) and of a GPU ({})", of_processor, of_gpu),
          "times of one are never added to times of the other: run it once for each"};
}

/// `is_asked`: the user named the back ends.
void find_on_this_machine(const std::vector<std::string>& backends, bool is_asked, Choice* choice) {
  choice->look_up.libraries = find_libraries({.backends = backends, .tells_lack_of_device = is_asked}, &choice->notes);
  choice->look_up.system_key = choice->system.key();
}

/// Finds the libraries of its GPU, and takes that for the system if there are any.
bool find_on_gpu(const std::vector<std::string>& backends, bool is_asked, Choice* choice) {
  find_on_this_machine(backends, is_asked, choice);
  const std::vector<Library>& libraries = choice->look_up.libraries;
  const auto has_device = [](const Library& library) { return library.device.has_value(); };
  const auto found = std::find_if(libraries.begin(), libraries.end(), has_device);
  if (found == libraries.end()) return false;
  choice->system = *found->device;
  choice->look_up.system_key = choice->system.key();
  choice->look_up.threads = 1;  // the host only makes the calls
  return true;
}

void take_this_machine(const BoundOptions& options, PreferredSystem preferred, Choice* choice) {
  if (!options.backends.empty()) {
    if (computes_on_device(options.backends.front())) {
      find_on_gpu(options.backends, true, choice);
    } else {
      find_on_this_machine(options.backends, true, choice);
    }
    return;
  }
  if (preferred != PreferredSystem::kProcessor && find_on_gpu(backends_of(true), false, choice)) return;
  if (preferred != PreferredSystem::kGpu) return find_on_this_machine(backends_of(false), false, choice);
  choice->notes.emplace_back(
      "the trace ran on a GPU, and no library of one can be used on this machine: there are no times (--system NAME "
      "takes those of another machine, --backend those of this processor)");
}

std::string known_systems(const std::vector<Database::System>& systems) {
  std::string list;
  for (const Database::System& system : systems) list += (list.empty() ? "" : "; ") + system.key;
  return list.empty() ? "the database is empty" : "there are: " + list;
}

/// Takes its libraries if it is.
bool is_gpu_of_this_machine(const BoundOptions& options, const Database::System& system, Choice* choice) {
  const auto was_measured_on_gpu = [](const std::string& library) {
    return computes_on_device(measured_library(library).backend);
  };
  if (std::none_of(system.libraries.begin(), system.libraries.end(), was_measured_on_gpu)) return false;
  Choice gpu = *choice;
  const std::vector<std::string> backends = options.backends.empty() ? backends_of(true) : options.backends;
  if (!find_on_gpu(backends, !options.backends.empty(), &gpu) || gpu.system.key() != system.key) return false;
  gpu.is_this_system = true;
  *choice = std::move(gpu);
  return true;
}

Status choose_system(const BoundOptions& options, const Database& database, Choice* choice) {
  const std::vector<Database::System> systems = database.systems();
  std::vector<const Database::System*> found;
  for (const Database::System& system : systems) {
    if (system.key == options.system) found.assign(1, &system);
    if (system.key == options.system) break;
    if (system.key.starts_with(options.system)) found.push_back(&system);
  }
  if (found.size() != 1) {
    return {
        fmt::format("--system {} is the name of {}", options.system, found.empty() ? "no system" : "several systems"),
        known_systems(systems)};
  }
  const Database::System& system = *found.front();
  choice->look_up.system_key = system.key;
  choice->is_this_system = system.key == choice->system.key();
  if (choice->is_this_system) {
    if (!options.backends.empty() && computes_on_device(options.backends.front())) {
      return {fmt::format("--system {} is a processor, and --backend names libraries of a GPU", options.system),
              "leave one of them out"};
    }
    take_this_machine(options, PreferredSystem::kProcessor, choice);
    return {};
  }
  if (is_gpu_of_this_machine(options, system, choice)) return {};
  for (const std::string& text : system.libraries) {
    const Library library = measured_library(text);
    const bool is_wanted = options.backends.empty() || std::find(options.backends.begin(), options.backends.end(),
                                                                 library.backend) != options.backends.end();
    if (is_wanted) choice->look_up.libraries.push_back(library);
  }
  if (options.threads || system.threads.empty()) return {};
  if (system.threads.size() > 1) {
    return {fmt::format("{} was measured with {} threads", system.key, fmt::join(system.threads, ", ")),
            fmt::format("choose one: --threads {}", system.threads.front())};
  }
  choice->look_up.threads = system.threads.front();
  return {};
}

}  // namespace

Status choose_libraries(const BoundOptions& options, const Database& database, Choice* choice,
                        PreferredSystem preferred) {
  if (Status status = check_one_system(options); !status.ok()) return status;
  choice->system = this_system();
  choice->look_up.exact = options.exact;
  choice->look_up.threads = options.threads.value_or(std::max(1, choice->system.cores));
  if (!options.system.empty()) {
    if (Status status = choose_system(options, database, choice); !status.ok()) return status;
  } else {
    take_this_machine(options, preferred, choice);
  }
  return restrict_versions(options, &choice->look_up.libraries);
}

}  // namespace xsp::bound
