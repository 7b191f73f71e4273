#pragma once

#include <set>
#include <string>
#include <utility>

#include "inject/cupti/state/session.h"

namespace xsp::test {

/// What was requested from the test's own CUPTI.
struct AskedOfCupti {
  std::set<std::pair<int, std::string>> callbacks;  // enabled, by domain and name
  std::set<uint32_t> resource_callbacks;
  std::set<uint32_t> state_callbacks;
  std::set<std::string> recorded_functions;  // by filter
  std::set<int> kinds;
};
extern AskedOfCupti asked_of_cupti;

/// Gives the session a CUPTI that knows the functions of test_runtime.h and little else. Graph nodes are pointers to
/// their ids.
void use_test_cupti(guest::Session& session);

}  // namespace xsp::test
