#include "analysis/trace/launch_configuration.h"

#include <algorithm>
#include <utility>

namespace xsp::analysis {

LaunchConfiguration launch_configuration(std::string_view text) {
  LaunchConfiguration configuration;
  const std::pair<std::string_view, std::string_view LaunchConfiguration::*> kFields[] = {
      {"grid=", &LaunchConfiguration::grid},
      {"block=", &LaunchConfiguration::block},
      {"registers=", &LaunchConfiguration::registers},
      {"static_shared=", &LaunchConfiguration::static_shared},
      {"dynamic_shared=", &LaunchConfiguration::dynamic_shared},
      {"shared=", &LaunchConfiguration::shared},
      {"cluster=", &LaunchConfiguration::cluster},
  };
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    for (const auto& [name, member] : kFields) {
      if (part.starts_with(name)) configuration.*member = part.substr(name.size());
    }
  }
  return configuration;
}

}  // namespace xsp::analysis
