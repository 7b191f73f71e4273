#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xsp::launch {

/// Marks the facts in the probe's output: an interpreter may print something else at its start and at its end.
inline constexpr std::string_view kFactsMark = "\nxsp-check-facts ";

/// A framework that is installed in a Python, by metadata and files.
struct FrameworkFacts {
  std::string version;
  std::string broken;  // what is wrong with it; empty: nothing
  std::string libtorch_cpu;
  std::string libc10;
  std::vector<std::string> libraries;  // TensorFlow's and MXNet's, in which the guest hooks something
  bool is_for_cuda = false;
  bool makes_sessions = false;
};

/// What the probe of check_python tells of an interpreter.
struct PythonFacts {
  std::string implementation;
  std::string version;
  std::string executable;
  bool is_shared = false;
  bool has_audit_hook = false;
  bool is_before_3_8 = false;
  std::vector<std::string> cupti_folders;
  std::map<std::string, FrameworkFacts> frameworks;  // by module
};

/// Reads the last facts in an interpreter's output; nothing where there are none. Any program can be named as an
/// interpreter, so a member of another type than the probe gives it counts as missing.
std::optional<PythonFacts> parse_python_facts(std::string_view output);

}  // namespace xsp::launch
