#pragma once

#include <cstddef>
#include <cstdint>

namespace xsp::guest {

/// What a kernel was launched with.
struct LaunchConfiguration {
  int32_t grid[3];
  int32_t block[3];
  int32_t cluster[3];  // not positive: launched without clusters
  int64_t registers;
  int64_t static_shared;
  int64_t dynamic_shared;

  bool operator==(const LaunchConfiguration&) const = default;
};

/// String ids of what activities are called, each looked up once while it is in use. For use by one
/// thread; zeroed memory is an empty one.
class ActivityTexts {
 public:
  /// CUPTI gives all records of a kernel the same pointer, and may give it to another kernel when a module is gone: the
  /// text itself is compared. Also for literals. 0 for null.
  uint32_t name(const char* text);

  /// As ActivityBatch.configuration describes it. 0 beyond a program's first hundred thousand or so, so that they do
  /// not take all the room for names.
  uint32_t configuration(const LaunchConfiguration& launch);

 private:
  static constexpr size_t kNames = 8192;
  static constexpr size_t kConfigurations = 4096;
  static constexpr uint32_t kMostConfigurations = 1 << 17;

  struct Name {
    const char* pointer;
    const char* kept;  // the text as this process keeps it, for good
    uint32_t length;
    uint32_t id;
  };
  struct Configuration {
    LaunchConfiguration launch;
    uint32_t id;
  };

  Name names_[kNames];
  Configuration configurations_[kConfigurations];
  uint32_t newest_configuration_;
  uint32_t configurations_made_;
};

}  // namespace xsp::guest
