#include <fmt/format.h>

#include "inject/launch/check/check_frameworks.h"
#include "inject/launch/run/library_file.h"

namespace xsp::launch {
namespace {

using State = CheckRow::State;

constexpr TestedVersions kMxnet = {"1.9", "1.9"};

/// What the guest hooks: inject/mxnet/exports.cc, engine_hooks.cc.
constexpr const char* kCalls[] = {"MXInvokeCachedOp", "MXExecutorForward"};
constexpr const char* kPushes = "_ZN5mxnet6engine14ThreadedEngine9PushAsyncE";
constexpr const char* kRun = "_ZN5mxnet4exec16FComputeExecutor3RunENS_10RunContextEb";

}  // namespace

std::vector<CheckRow> mxnet_rows(const FrameworkFacts& of) {
  const LibraryFile library(of.libraries.empty() ? "" : of.libraries.front());
  const std::string version = fmt::format("{} ({})", of.version, tested_text(kMxnet, of.version));
  if (!library.is_readable()) return {{"MXNet", State::kDegraded, version + ": libmxnet.so cannot be read"}};
  std::vector<CheckRow> rows = {{"MXNet", State::kOk, version}};
  bool has_calls = true;
  for (const char* call : kCalls) has_calls = has_calls && library.defines(call);
  rows.push_back(has_calls ? CheckRow{"  models", State::kOk, "blocks of Gluon, executors, training"}
                           : CheckRow{"  models", State::kDegraded, "none: libmxnet.so does not export its C API"});
  const bool has_layers = library.exports_beginning(kPushes) && library.defines(kRun);
  rows.push_back(
      has_layers ? CheckRow{"  layers", State::kOk, "operators, on the engine's threads"}
                 : CheckRow{"  layers", State::kDegraded, "none: this build does not export its engine's functions"});
  return rows;
}

}  // namespace xsp::launch
