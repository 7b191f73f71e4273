#pragma once

#include <cstdint>
#include <string_view>

#include "inject/cupti/library/cupti_abi.h"
#include "proto/api_groups.h"

namespace xsp::guest {

/// The function's name without the version that CUPTI appends: "cudaMemcpyAsync_ptsz" for "cudaMemcpyAsync_ptsz_v7000".
/// Versions in the driver's own names stay ("cuMemFree_v2").
std::string_view without_version(std::string_view callback_name);

/// By the name alone, so that it knows functions of future versions too.
ApiGroup group_of(std::string_view function);

/// Whether a function, without its version, is among those chosen by `list`: groups, names and globs of names separated
/// by commas, each with - in front to leave it out; the last that fits decides. "all", "none". A list that begins by
/// leaving out, and an empty one, starts from the usual groups. Launches are always chosen: executions are found by
/// them.
bool is_chosen(std::string_view list, std::string_view function);

/// Callback ids of both domains lie below this.
inline constexpr uint32_t kMaxCallbackIds = 2048;

/// What a function of the driver launches, which also says where among its parameters the stream is.
enum class ApiLaunch : uint8_t { kNone = 0, kKernel = 1, kKernelByConfiguration = 2, kGraph = 3 };

/// For functions of the driver, by the name alone.
ApiLaunch launch_of(std::string_view function);

/// Whether a function destroys or resets a context, by the name alone.
bool may_end_context(std::string_view function);

/// The functions that the loaded CUPTI names, by domain and callback id.
struct ApiFunction {
  uint32_t name;  // string id; 0: not known
  bool chosen;
  ApiLaunch launch;  // of the driver's only
  bool ends_context;
};

/// Asks CUPTI for all names, once for a session. CUPTI must have been initialised: without a driver, asking for a name
/// has version 13.2 call itself without end. Not for threads of the program inside a callback.
void read_api_functions(const cupti::Functions& cupti, std::string_view list);

/// How many there are in a domain: ids count from 1 to it.
uint32_t api_function_count(int domain);

/// For an id without a function: name 0, not chosen.
const ApiFunction& api_function(int domain, uint32_t callback_id);

/// Whether --cuda-api chose the function: for call records, which older versions of CUPTI make of all functions. A
/// function that CUPTI did not name counts as chosen.
bool is_api_function_chosen(int domain, uint32_t callback_id);

/// Whether a function's name (string id) is one that launches graphs.
bool is_graph_launch(uint32_t name);

}  // namespace xsp::guest
