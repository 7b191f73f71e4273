#include "bound/cli/library_choice.h"

#include <fmt/format.h>

#include <algorithm>

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
  for (const auto& [name, version] : options.versions) {
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

/// "onednn 3.2.0" as systems() has it.
Library measured_library(const std::string& text) {
  Library library;
  const size_t blank = text.rfind(' ');
  library.name = text.substr(0, blank);
  if (blank != std::string::npos) library.version = text.substr(blank + 1);
  const bool is_own_backend = library.name == "onednn" || library.name == "onnxruntime";
  library.backend = is_own_backend ? library.name : "blas";
  return library;
}

std::string known_systems(const std::vector<Database::System>& systems) {
  std::string list;
  for (const Database::System& system : systems) list += (list.empty() ? "" : "; ") + system.key;
  return list.empty() ? "the database is empty" : "there are: " + list;
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
  choice->is_this_system = system.key == choice->system.key();
  choice->look_up.system_key = system.key;
  if (choice->is_this_system) {
    choice->look_up.libraries = find_libraries({options.backends, {}}, &choice->notes);
    return {};
  }
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

Status choose_libraries(const BoundOptions& options, const Database& database, Choice* choice) {
  choice->system = this_system();
  choice->look_up.exact = options.exact;
  choice->look_up.threads = options.threads.value_or(std::max(1, choice->system.cores));
  if (!options.system.empty()) {
    if (Status status = choose_system(options, database, choice); !status.ok()) return status;
  } else {
    choice->look_up.system_key = choice->system.key();
    choice->look_up.libraries = find_libraries({options.backends, {}}, &choice->notes);
  }
  return restrict_versions(options, &choice->look_up.libraries);
}

}  // namespace xsp::bound
