#pragma once

#include <cstddef>
#include <cstdint>

namespace xsp {

/// Names of environment variables by which one part of XSP tells another something. What xsp-run sets for the guest is
/// read in inject/guard/settings.h, which has the values; the collector keeps a few of them with the process (proto:
/// Hello), where the analysis finds them.
namespace variable {

// From xsp-run to the guest.
inline constexpr char kSocket[] = "XSP_SOCKET";
inline constexpr char kScratch[] = "XSP_SCRATCH";
inline constexpr char kLevel[] = "XSP_LEVEL";
inline constexpr char kLibraryCalls[] = "XSP_LIBRARY_CALLS";
inline constexpr char kOnFull[] = "XSP_ON_FULL";
inline constexpr char kOnlyPid[] = "XSP_ONLY_PID";
inline constexpr char kActivities[] = "XSP_ACTIVITIES";
inline constexpr char kCudaApi[] = "XSP_CUDA_API";
inline constexpr char kMetrics[] = "XSP_METRICS";
inline constexpr char kMetricsLeaveOut[] = "XSP_METRICS_LEAVE_OUT";
inline constexpr char kRange[] = "XSP_RANGE";
inline constexpr char kBeginNs[] = "XSP_BEGIN_NS";
inline constexpr char kDurationNs[] = "XSP_DURATION_NS";
inline constexpr char kSample[] = "XSP_SAMPLE";
inline constexpr char kMaxOverhead[] = "XSP_MAX_OVERHEAD";
inline constexpr char kConcurrency[] = "XSP_CONCURRENCY";
inline constexpr char kCuptiFolders[] = "XSP_CUPTI_FOLDERS";
inline constexpr char kCudaInjection[] = "XSP_CUDA_INJECTION";  // what the user had in CUDA_INJECTION64_PATH

// From the user: which file is to be taken.
inline constexpr char kCupti[] = "XSP_CUPTI";
inline constexpr char kLibrary[] = "XSP_LIBRARY";
inline constexpr char kCollector[] = "XSP_COLLECTOR";
inline constexpr char kReport[] = "XSP_REPORT";
inline constexpr char kPython[] = "XSP_PYTHON";

}  // namespace variable

/// Longest values of XSP_CUDA_API, XSP_RANGE, XSP_METRICS and XSP_METRICS_LEAVE_OUT, with their terminating NULs.
/// xsp-run refuses longer ones.
inline constexpr size_t kCudaApiBytes = 1024;
inline constexpr size_t kRangeBytes = 256;
inline constexpr size_t kMetricsBytes = 4096;
inline constexpr size_t kLeaveOutBytes = 1024;

/// The largest N of XSP_SAMPLE=1/N.
inline constexpr uint64_t kLargestSampleEvery = 1'000'000'000;

}  // namespace xsp
