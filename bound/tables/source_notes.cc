#include "bound/tables/source_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quantity_text.h"
#include "bound/backends/backend.h"

namespace xsp::bound {

std::string library_list(const std::vector<Library>& libraries) {
  std::string list;
  for (const Library& library : libraries) {
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", library.name, library.version);
  }
  return list.empty() ? "none" : list;
}

bool is_of_gpu(const TimesSource& source) {
  return std::ranges::any_of(source.libraries,
                             [](const Library& library) { return computes_on_device(library.backend); });
}

void add_source_notes(const BoundSubject& subject, analysis::Table* table) {
  const TimesSource& source = subject.source;
  if (source.is_given) {
    table->notes.push_back("times from " + source.path);
    return;
  }
  const std::string threads = is_of_gpu(source) ? "" : fmt::format(" of {}", plural(source.threads, "thread"));
  table->notes.push_back(fmt::format("times{} on {} ({}), from {}; libraries: {}", threads,
                                     source.is_this_system ? "this machine" : "another machine", source.system,
                                     source.path, library_list(source.libraries)));
  if (source.exact) table->notes.emplace_back("--exact: no implementation whose rounding differs");
  for (const std::string& note : source.notes) table->notes.push_back(note);
}

}  // namespace xsp::bound
