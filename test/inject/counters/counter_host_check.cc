// NVIDIA's own profiler host, of the libcupti that is named by REAL_CUPTI, prepares what inject/cupti asks it for. Run
// by counter_host_test.py for every one found.
#include "inject/counters/counter_host.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "inject/counters/range_functions.h"
#include "test/catch.h"

namespace {

using namespace xsp::guest;

cupti::RangeFunctions functions_of(void* library) {
  cupti::RangeFunctions functions{};
  REQUIRE(each_range_function(&functions, [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  }));
  return functions;
}

TEST_CASE("a roofline is prepared in the passes of the table, and what the chip has not is left out") {
  const char* path = std::getenv("REAL_CUPTI");
  REQUIRE(path != nullptr);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  const cupti::RangeFunctions functions = functions_of(library);

  CounterHost host{};
  FixedText<512> left_out;
  FixedText<512> what;
  const auto result =
      open_counter_host(functions, "GH100", "roofline-bf16,nosuch__metric.sum", nullptr, &host, &left_out, &what);
  CHECK(std::string(what.view()).empty());
  REQUIRE(result == cupti::kSuccess);
  CHECK(host.passes == 2);
  CHECK(host.config_bytes > 0);
  CHECK(host.metrics->count() == 13);
  CHECK(std::string(left_out.view()) == "nosuch__metric.sum");

  // Without a counter data image of a device nothing can be evaluated; it is refused, not crashed upon.
  const uint8_t image[64] = {};
  double values[kMostMetrics];
  CHECK(evaluate_range(functions, host, image, sizeof image, 0, values) != cupti::kSuccess);

  CounterHost unknown{};
  FixedText<512> why;
  CHECK(open_counter_host(functions, "GX900", "dram__bytes_read.sum", nullptr, &unknown, &left_out, &why) !=
        cupti::kSuccess);
  CHECK(std::string(why.view()) == "cuptiProfilerHostInitialize");
}

}  // namespace
