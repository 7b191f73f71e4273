#include "bound/advice/used_implementation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "analysis/study/analysed_trace.h"
#include "analysis/trace/call_arguments.h"
#include "base/number_text.h"
#include "bound/advice/engine_knobs.h"
#include "bound/advice/implementation_layout.h"

namespace xsp::bound {
namespace {

/// Families of oneDNN that later versions call otherwise.
struct Renamed {
  std::string_view now;
  std::string_view before;
};
constexpr Renamed kRenamed[] = {
    {"brg_conv_fwd", "brgconv"},
    {"brg_deconv", "brg_conv"},
    {"brg_matmul", "brg"},
    {"brgemm", "brg"},
};

/// "brg_deconv:avx512_core+brgconv_strided:avx512_core" as it was first called, part by part.
std::string first_name(std::string_view name) {
  std::string first;
  while (true) {
    const size_t end = name.find('+');
    const std::string_view part = name.substr(0, end);
    const size_t colon = part.find(':');
    const auto* const renamed = std::ranges::find(kRenamed, part.substr(0, colon), &Renamed::now);
    first += renamed == std::end(kRenamed) ? part.substr(0, colon) : renamed->before;
    if (colon != std::string_view::npos) first += part.substr(colon);
    if (end == std::string_view::npos) return first;
    first += '+';
    name.remove_prefix(end + 1);
  }
}

/// "engine 35" of "sum: engine 35 knobs 4=2"; empty for a name without an engine.
std::string_view engine_of(std::string_view name) {
  constexpr std::string_view kEngine = "engine ";
  const size_t begin = name.starts_with(kEngine) ? 0 : name.find(": engine ");
  if (begin == std::string_view::npos) return {};
  name.remove_prefix(begin == 0 ? 0 : begin + 2);
  return name.substr(0, name.find(' ', kEngine.size()));
}

/// Names of BLAS libraries by what is in the path of their files. PyTorch's has MKL inside.
struct BlasFile {
  std::string_view part;
  std::string_view library;
};
constexpr BlasFile kBlasFiles[] = {{"openblas", "openblas"}, {"mkl", "mkl"}, {"libtorch", "mkl"}, {"blis", "blis"}};

/// Libraries of benchmarks that the call may have gone to.
std::vector<std::string> libraries_of(const JoinedTrace& trace, const TraceCall& call) {
  if (call.library != "blas" && call.library != "cblas") return {call.library};
  std::vector<std::string> libraries;
  if (trace.trace == nullptr || call.row == analysis::kNoRow) return libraries;
  const analysis::Trace& recorded = trace.trace->trace;
  const uint32_t process = recorded.process_of(call.row);
  for (const analysis::UsedLibrary& used : recorded.used_libraries) {
    if (used.process != process || used.library != call.library) continue;
    const std::string_view file = std::string_view(used.file).substr(used.file.rfind('/') + 1);
    const auto* const found =
        std::ranges::find_if(kBlasFiles, [file](const BlasFile& known) { return file.find(known.part) != file.npos; });
    const std::string_view library = found == std::end(kBlasFiles) ? file : found->library;
    if (std::ranges::find(libraries, library) == libraries.end()) libraries.emplace_back(library);
  }
  return libraries;
}

/// Versions of the library that have rows, the newest first.
std::vector<std::string> versions_of(const std::vector<Measurement>& rows, std::string_view library) {
  std::vector<std::string> versions;
  for (const Measurement& row : rows) {
    if (row.library == library && std::ranges::find(versions, row.library_version) == versions.end())
      versions.push_back(row.library_version);
  }
  std::ranges::sort(versions, is_newer_version);
  return versions;
}

/// The rows of the same implementation in a version of a library.
std::vector<const Measurement*> matching(const std::vector<Measurement>& rows, std::string_view library,
                                         std::string_view version, const TraceCall& call) {
  std::vector<const Measurement*> found;
  for (const Measurement& row : rows) {
    if (row.library != library || row.library_version != version || !has_time(row)) continue;
    if (is_same_implementation(call.implementation, row.implementation)) found.push_back(&row);
  }
  return found;
}

/// The settings of the engine that a call of cuDNN's graph API ran; empty where they are not known.
EngineKnobs knobs_of_call(const JoinedTrace& trace, const TraceCall& call) {
  if (trace.trace == nullptr || call.row == analysis::kNoRow || engine_of(call.implementation).empty()) return {};
  const auto json = analysis::CallArguments(trace.trace->trace, call.row).text("plan");
  if (!json) return {};
  std::string why;
  const auto plan = analysis::ExecutionPlan::parse(*json, &why);
  return plan ? knobs_of_plan(*plan) : EngineKnobs();
}

/// Of rows of one engine those with these settings, where any has them.
void keep_knobs(const EngineKnobs& knobs, std::vector<const Measurement*>* rows) {
  const auto differs = [&](const Measurement* row) { return knobs_of_name(row->implementation) != knobs; };
  if (knobs.empty() || std::ranges::all_of(*rows, differs)) return;
  std::erase_if(*rows, differs);
}

/// The one that ran, of rows of one implementation: in its layout. Null where that leaves none or several.
const Measurement* in_layout(const std::vector<const Measurement*>& rows, const TraceCall& call,
                             const Problem& problem) {
  if (rows.size() == 1) return rows.front();
  std::vector<const Measurement*> same;
  for (const Measurement* row : rows) {
    if (is_same_layout(call, *row, problem)) same.push_back(row);
  }
  return same.size() == 1 ? same.front() : nullptr;
}

}  // namespace

bool has_time(const Measurement& row) {
  return row.status == BenchmarkStatus::kOk || row.status == BenchmarkStatus::kImported;
}

bool is_same_implementation(std::string_view one, std::string_view other) {
  if (one.empty() || other.empty()) return false;
  if (one == other) return true;
  if (const std::string_view engine = engine_of(one); !engine.empty()) return engine == engine_of(other);
  return first_name(one) == first_name(other);
}

bool is_newer_version(std::string_view version, std::string_view than) {
  while (!version.empty() || !than.empty()) {
    const auto next = [](std::string_view* text) {
      const size_t end = std::min(text->find('.'), text->size());
      const auto number = number_in<int64_t>(text->substr(0, end));
      text->remove_prefix(std::min(end + 1, text->size()));
      return number.value_or(-1);
    };
    const int64_t one = next(&version), other = next(&than);
    if (one != other) return one > other;
  }
  return false;
}

UsedImplementation find_used(const JoinedTrace& trace, const TraceCall& call, const Problem& problem,
                             const std::vector<Measurement>& rows) {
  UsedImplementation used;
  const std::vector<std::string> libraries = libraries_of(trace, call);
  if (libraries.empty()) {
    used.reason = "the trace does not tell which BLAS it was";
    return used;
  }
  if (libraries.size() > 1) {
    used.reason = fmt::format("the trace does not tell which BLAS it was: {}", fmt::join(libraries, " or "));
    return used;
  }
  const std::string& library = libraries.front();
  const std::vector<std::string> versions = versions_of(rows, library);
  if (versions.empty()) {
    used.reason = "not measured with " + library;
    return used;
  }
  const EngineKnobs knobs = knobs_of_call(trace, call);
  bool has_implementation = false;
  for (const std::string& version : versions) {
    auto found = matching(rows, library, version, call);
    keep_knobs(knobs, &found);
    has_implementation |= !found.empty();
    used.row = in_layout(found, call, problem);
    if (used.row == nullptr) continue;
    used.library = used.row;
    return used;
  }
  used.library = &*std::ranges::find_if(
      rows, [&](const Measurement& row) { return row.library == library && row.library_version == versions.front(); });
  if (call.implementation.empty()) {
    used.reason = "the trace does not tell which implementation it was";
  } else if (has_implementation) {
    used.reason = fmt::format("measured in other layouts than {}, or with several settings",
                              call.layout.empty() ? "it was called with" : call.layout);
  } else {
    used.reason = fmt::format("{} {} has no {} for it", library, fmt::join(versions, " or "), call.implementation);
  }
  return used;
}

}  // namespace xsp::bound
