#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace xsp {

/// The processors that this process may use, and how busy they are. 0: not known.
struct ProcessorFacts {
  uint32_t online = 0;          // logical processors of the machine
  uint32_t allowed = 0;         // of these, those that the scheduler's mask allows this process
  uint32_t cores = 0;           // of the allowed ones, each core counted once however many of its threads are allowed
  std::optional<double> quota;  // processors that the control groups grant: 1.5; nothing: as many as there are
  uint32_t runnable = 0;        // tasks of the machine that run or wait for a processor, the caller left out
  double load = 0;              // load average of the last minute
};

/// From sched_getaffinity, and the files of /proc and /sys under `root` ("": this machine's own).
ProcessorFacts read_processors(const std::string& root = "");

/// The same for a process that may use these logical processors.
ProcessorFacts read_processors(const std::string& root, const std::vector<uint32_t>& allowed);

/// Numbers of the logical processors that the scheduler lets this thread use, ascending; where it does not tell, all
/// that are online.
std::vector<uint32_t> allowed_processors();

/// How many threads can run at the same time: the smaller of cores and quota, a part of a processor counted as one; at
/// least 1.
uint32_t usable_cores(const ProcessorFacts& processors);

/// The least quota of the control groups of this process and of those around it; nothing: none has one.
std::optional<double> quota_of_control_groups(const std::string& root);

/// A quota as a number of processors, a part of one counted as one: 2 for 1.5. At least 1.
uint32_t processors_of_quota(double quota);

/// The number of runnable tasks in the text of /proc/loadavg, "0.52 0.40 0.31 3/412 9911": 3. Nothing for other text.
std::optional<uint32_t> runnable_tasks(const std::string& loadavg);

}  // namespace xsp
