#include "inject/cupti/library/api_functions.h"

#include <cstddef>

#include "inject/record/process.h"

namespace xsp::guest {
namespace {

constexpr std::string_view kUsual = "launch,copy,memset,sync,memory,graph";

/// After this many ids in a row without a name no more are asked for.
constexpr uint32_t kLongestRunOfUnknown = 64;

constinit ApiFunction known_functions[2][kMaxCallbackIds] = {};
constinit uint32_t function_counts[2] = {};
constinit const ApiFunction no_function{};

/// Not substr, whose exception would bring the support of all of them.
std::string_view first(std::string_view text, size_t length) {
  return {text.data(), length < text.size() ? length : text.size()};
}
std::string_view behind(std::string_view text, size_t length) {
  return length < text.size() ? std::string_view(text.data() + length, text.size() - length) : std::string_view();
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
bool begins(std::string_view text, std::string_view part) { return first(text, part.size()) == part; }
bool ends(std::string_view text, std::string_view part) {
  return text.size() >= part.size() && behind(text, text.size() - part.size()) == part;
}

template <size_t kCount>
bool begins_any(std::string_view text, const std::string_view (&parts)[kCount]) {
  for (const std::string_view part : parts) {
    if (begins(text, part)) return true;
  }
  return false;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Where a _v and digits begin at the end, or npos.
size_t version_at(std::string_view name, size_t least_digits) {
  size_t at = name.size();
  while (at > 0 && is_digit(name[at - 1])) --at;
  if (name.size() - at < least_digits || at < 2 || name[at - 1] != 'v' || name[at - 2] != '_') {
    return std::string_view::npos;
  }
  return at - 2;
}

/// "MemcpyHtoD" of "cuMemcpyHtoD_v2_ptds".
std::string_view stem_of(std::string_view name) {
  if (ends(name, "_ptsz") || ends(name, "_ptds")) name.remove_suffix(5);
  const size_t version = version_at(name, 1);
  if (version != std::string_view::npos) name = first(name, version);
  if (begins(name, "__")) name.remove_prefix(2);
  if (begins(name, "cuda") || begins(name, "cu64")) {
    name.remove_prefix(4);
  } else if (begins(name, "cu")) {
    name.remove_prefix(2);
  }
  return name;
}

bool only_asks(std::string_view stem) {
  constexpr std::string_view kAsking[] = {
      "Get",        "PeekAt",    "Occupancy",     "ChooseDevice",   "DriverGet",
      "RuntimeGet", "SetDevice", "CtxSetCurrent", "CtxPushCurrent", "CtxPopCurrent"};
  constexpr std::string_view kCallConfiguration[] = {"PushCallConfiguration", "PopCallConfiguration"};
  if (begins_any(stem, kAsking) && !begins(stem, "SetDeviceFlags")) return true;
  if (begins_any(stem, kCallConfiguration)) return true;
  return ends(stem, "Query") || ends(stem, "IsCapturing") || ends(stem, "IsLoaded") || has(stem, "CanAccessPeer") ||
         ends(stem, "ElapsedTime") || ends(stem, "FindInClone") || ends(stem, "ComputeCapability") ||
         ends(stem, "TotalMem") || has(stem, "GetAttribute") || has(stem, "GetParam") || has(stem, "GetP2P") ||
         (has(stem, "Get") && !has(stem, "GetMapped") && !begins(stem, "ModuleGet") && !begins(stem, "LibraryGet"));
}

ApiGroup group_of_memory(std::string_view stem) {
  constexpr std::string_view kCopying[] = {"Memcpy", "MemPrefetch", "MemDiscardAndPrefetch", "MemBatchDecompress"};
  if (begins_any(stem, kCopying)) return ApiGroup::kCopy;
  return begins(stem, "Memset") ? ApiGroup::kMemset : ApiGroup::kMemory;
}

}  // namespace

std::string_view without_version(std::string_view callback_name) {
  return first(callback_name, version_at(callback_name, 4));
}

ApiGroup group_of(std::string_view function) {
  const std::string_view stem = stem_of(function);
  constexpr std::string_view kLaunching[] = {"Launch", "GraphLaunch", "StreamAddCallback"};
  constexpr std::string_view kWaiting[] = {"WaitExternalSemaphores", "SignalExternalSemaphores", "StreamWaitValue",
                                           "StreamWriteValue",       "StreamBatchMemOp",         "CtxWaitEvent",
                                           "GreenCtxWaitEvent",      "ExecutionCtxWaitEvent"};
  constexpr std::string_view kAllocating[] = {"Mem",   "Malloc",         "Free", "Host",
                                              "Array", "MipmappedArray", "Ipc",  "Multicast"};
  constexpr std::string_view kCapturing[] = {"StreamBeginCapture", "StreamEndCapture", "StreamUpdateCapture",
                                             "ThreadExchangeStreamCapture", "UserObject"};
  constexpr std::string_view kOfCode[] = {"Module", "Library",    "Link",     "Func",
                                          "Kernel", "InitModule", "Register", "UnregisterFatBinary"};
  if (begins_any(stem, kLaunching)) return ApiGroup::kLaunch;
  if (only_asks(stem)) return ApiGroup::kQuery;
  if (ends(stem, "Synchronize") || ends(stem, "StreamWaitEvent") || begins_any(stem, kWaiting)) return ApiGroup::kSync;
  if (begins_any(stem, kCapturing)) return ApiGroup::kGraph;
  if (begins(stem, "Graph") && !begins(stem, "Graphics")) return ApiGroup::kGraph;
  if (begins_any(stem, kAllocating)) return group_of_memory(stem);
  if (begins_any(stem, kOfCode)) return ApiGroup::kModule;
  if (begins(stem, "Event") || ends(stem, "RecordEvent")) return ApiGroup::kEvent;
  if (begins(stem, "Stream") || ends(stem, "StreamCreate")) return ApiGroup::kStream;
  return ApiGroup::kOther;
}

namespace {

/// With * for any text and ? for any character.
bool matches(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;
  size_t behind_star = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      behind_star = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++behind_star;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// 1: chosen, -1: left out, 0: the word is about others.
int choice(std::string_view word, std::string_view function, ApiGroup group) {
  word = trimmed(word);
  const bool leaves_out = begins(word, "-");
  if (leaves_out) word.remove_prefix(1);
  if (word.empty()) return 0;
  if (word == "none") return leaves_out ? 0 : -1;
  const bool fits = word == "all" || word == name_of(group) || matches(word, function);
  if (!fits) return 0;
  return leaves_out ? -1 : 1;
}

bool chosen_by(std::string_view list, std::string_view function, ApiGroup group, bool before) {
  bool chosen = before;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const int word = choice(first(list, comma), function, group);
    if (word != 0) chosen = word > 0;
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return chosen;
}

ApiFunction* functions_of(int domain) {
  if (domain != cupti::kRuntimeApi && domain != cupti::kDriverApi) return nullptr;
  return known_functions[domain == cupti::kRuntimeApi ? 0 : 1];
}

/// String ids of the runtime's and the driver's, with and without _ptsz. Room for names to come.
constexpr size_t kMaxGraphLaunches = 8;
constinit uint32_t graph_launches[kMaxGraphLaunches] = {};

void keep_graph_launch(uint32_t name) {
  for (uint32_t& kept : graph_launches) {
    if (kept == name) return;
    if (kept != 0) continue;
    kept = name;
    return;
  }
}

uint32_t read_names(const cupti::Functions& cupti, int domain, std::string_view list) {
  ApiFunction* of_domain = functions_of(domain);
  uint32_t last = 0;
  for (uint32_t id = 1; id < kMaxCallbackIds && id - last <= kLongestRunOfUnknown; ++id) {
    const char* text = nullptr;
    of_domain[id] = {};
    if (cupti.get_callback_name(domain, id, &text) != cupti::kSuccess || text == nullptr) continue;
    const std::string_view name = without_version(text);
    of_domain[id] = {intern(name), is_chosen(list, name),
                     domain == cupti::kDriverApi ? launch_of(name) : ApiLaunch::kNone, may_end_context(name)};
    if (begins(stem_of(name), "GraphLaunch")) keep_graph_launch(of_domain[id].name);
    last = id;
  }
  return last;
}

}  // namespace

bool is_chosen(std::string_view list, std::string_view function) {
  const ApiGroup group = group_of(function);
  if (group == ApiGroup::kLaunch) return true;
  list = trimmed(list);
  const bool from_usual = list.empty() || list.front() == '-';
  return chosen_by(list, function, group, from_usual && chosen_by(kUsual, function, group, false));
}

ApiLaunch launch_of(std::string_view function) {
  if (begins(function, "cuGraphLaunch")) return ApiLaunch::kGraph;
  if (begins(function, "cuLaunchKernelEx")) return ApiLaunch::kKernelByConfiguration;
  const bool is_kernel = begins(function, "cuLaunchKernel") || (begins(function, "cuLaunchCooperativeKernel") &&
                                                                !begins(function, "cuLaunchCooperativeKernelM"));
  return is_kernel ? ApiLaunch::kKernel : ApiLaunch::kNone;
}

bool may_end_context(std::string_view function) {
  const std::string_view stem = stem_of(function);
  return stem == "DeviceReset" || stem == "DevicePrimaryCtxReset" || stem == "DevicePrimaryCtxRelease" ||
         stem == "CtxDestroy" || stem == "GreenCtxDestroy";
}

void read_api_functions(const cupti::Functions& cupti, std::string_view list) {
  function_counts[0] = read_names(cupti, cupti::kRuntimeApi, list);
  function_counts[1] = read_names(cupti, cupti::kDriverApi, list);
}

uint32_t api_function_count(int domain) {
  if (functions_of(domain) == nullptr) return 0;
  return function_counts[domain == cupti::kRuntimeApi ? 0 : 1];
}

const ApiFunction& api_function(int domain, uint32_t callback_id) {
  const ApiFunction* of_domain = functions_of(domain);
  return of_domain == nullptr || callback_id >= kMaxCallbackIds ? no_function : of_domain[callback_id];
}

bool is_api_function_chosen(int domain, uint32_t callback_id) {
  const ApiFunction& function = api_function(domain, callback_id);
  return function.name == 0 || function.chosen;
}

bool is_graph_launch(uint32_t name) {
  for (const uint32_t kept : graph_launches) {
    if (kept == name && name != 0) return true;
  }
  return false;
}

}  // namespace xsp::guest
