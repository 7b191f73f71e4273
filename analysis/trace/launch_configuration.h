#pragma once

#include <string_view>

namespace xsp::analysis {

/// Fields of a kernel's launch configuration, as recorded; empty: not known.
struct LaunchConfiguration {
  std::string_view grid;  // "[80,1,1]"
  std::string_view block;
  std::string_view registers;
  std::string_view static_shared;  // bytes
  std::string_view dynamic_shared;
  std::string_view shared;   // both, where they were not told apart
  std::string_view cluster;  // "[2,1,1]": blocks that are placed together; empty where the launch has no clusters
};

/// Of an execution's shape, "grid=[80,1,1] block=[256,1,1] registers=32": views of it.
LaunchConfiguration launch_configuration(std::string_view text);

}  // namespace xsp::analysis
