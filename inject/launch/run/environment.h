#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "inject/launch/options/options.h"

namespace xsp::launch {

/// Where the parts of XSP are that the command needs, and what is known of the command when it starts.
struct CommandContext {
  std::string library;  ///< the guest, as LD_PRELOAD can carry it
  std::string socket;
  std::string scratch;
  pid_t pid = 0;
  std::string auditor = {};  ///< empty: none
  uint64_t start_ns = 0;     ///< CLOCK_MONOTONIC; --delay and --duration count from here, in every process of the run
  bool counted = false;      ///< the run whose kernels are counted
  std::string policy = {};   ///< file with the numbers of threads to apply; empty: none
};

/// The environment of the command, NAME=VALUE: that of xsp-run with the guest library first in LD_PRELOAD, and what the
/// guest reads (settings.h), and the variables by which NVTX, ITT, oneDNN and CUDA find a tool. NVTX, ITT and oneDNN
/// keep the tool that the user named. CUDA loads ours, which then loads the user's: the guest finds it in
/// XSP_CUDA_INJECTION.
/// --serialize sets CUDA_LAUNCH_BLOCKING and OMP_NUM_THREADS; a sweep over numbers of threads sets the variables that
/// it names (Options::variables). Nothing else is changed.
std::vector<std::string> command_environment(const Options& options, const CommandContext& context);

}  // namespace xsp::launch
