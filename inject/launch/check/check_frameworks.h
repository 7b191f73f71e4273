#pragma once

#include <map>
#include <string>
#include <vector>

#include "inject/launch/check/check_rows.h"
#include "inject/launch/check/python_facts.h"

namespace xsp::launch {

/// What the probe of check_python found of the frameworks in a Python, by module, and what each hook will give, read
/// from the metadata and the files of what is installed. `any`: set if a framework is there whose layers can be
/// recorded.
std::vector<CheckRow> framework_rows(const std::map<std::string, FrameworkFacts>& found, bool* any);

/// The same of one framework whose parts are all there.
std::vector<CheckRow> tensorflow_rows(const FrameworkFacts& of);
std::vector<CheckRow> mxnet_rows(const FrameworkFacts& of);

/// Versions that tests were run with, from the oldest to the newest.
struct TestedVersions {
  const char* oldest;
  const char* newest;
};
/// "tested: 1.13 to 2.15" or "not tested, which are: …".
std::string tested_text(const TestedVersions& tested, const std::string& version);

/// The same of one libtorch and its libc10 (paths; the latter empty where it is not known).
std::vector<CheckRow> torch_library_rows(const std::string& libtorch_cpu, const std::string& libc10);

}  // namespace xsp::launch
