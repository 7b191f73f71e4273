#include "inject/launch/options/concurrency_choice.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/same_file.h"
#include "base/similar_words.h"

namespace xsp::launch {
namespace {

constexpr const char* kWays =
    "--concurrency measure tries numbers of threads, apply uses what was found best, apply=SET what a trace or folder "
    "of before shows";

/// Options that --concurrency cannot be combined with, and why.
struct Conflict {
  const char* name;
  const char* why;
};

constexpr Conflict kConflicts[] = {
    {"--continuous", "numbers of threads are tried at the start of a run, in calls that are all recorded"},
    {"--sample", "numbers of threads are compared by the layers of every call"},
    {"--max-overhead", "numbers of threads are compared by the layers of every call"},
    {"--max-rate", "numbers of threads are compared by the layers of every call"},
    {"--leveled", "one run tries all numbers of threads; xsp-bench --threads makes several runs"},
    {"--runs", "one run tries all numbers of threads; xsp-bench --threads makes several runs"},
    {"--resolve", "one run tries all numbers of threads; xsp-bench --threads makes several runs"},
    {"--metrics", "kernels that are counted run alone, and their times mean nothing; leave out one of the two"},
    {"--serialize", "it computes with one thread; leave out one of the two"},
    {"--collector", "a collector that is running already writes the trace; without it xsp-run reads it at the end"},
};

Status read_way(const std::string& text, Options* options) {
  const size_t equals = text.find('=');
  const std::string way = text.substr(0, equals);
  if (way != "measure" && way != "apply") {
    const std::string meant = nearest_word(way, std::vector<std::string>{"measure", "apply"});
    return {fmt::format("--concurrency: unknown way '{}'", way),
            (meant.empty() ? "" : "did you mean " + meant + "? ") + kWays};
  }
  options->concurrency = way == "measure" ? Concurrency::kMeasure : Concurrency::kApply;
  if (equals == std::string::npos) return {};
  options->advice_set = text.substr(equals + 1);
  if (way == "measure") {
    return {fmt::format("--concurrency measure takes no {}", options->advice_set),
            "the trace that it writes is named by --output"};
  }
  if (options->advice_set.empty()) {
    return {"--concurrency apply= names no trace", "--concurrency apply=SET, or apply alone, which measures first"};
  }
  if (access(options->advice_set.c_str(), R_OK) == 0) return {};
  return {fmt::format("--concurrency apply: cannot read {} ({})", options->advice_set, std::strerror(errno)),
          "it takes what xsp-run --concurrency measure or xsp-bench --threads has written"};
}

}  // namespace

Status check_concurrency(const CLI::App& app, const std::string& text, Options* options) {
  if (app.count("--concurrency") == 0) {
    for (const char* name : {"--interval", "--validate"}) {
      if (app.count(name) == 0) continue;
      return {fmt::format("{} goes with --concurrency measure", name),
              "for example --concurrency measure " + std::string(name) +
                  (std::string_view(name) == "--interval" ? " 2" : "")};
    }
    return {};
  }
  if (Status status = read_way(text, options); !status.ok()) return status;
  for (const auto& [name, why] : kConflicts) {
    if (app.count(name) != 0) return {fmt::format("--concurrency does not go with {}", name), why};
  }
  if (options->advice_set.empty()) return {};
  for (const char* name : {"--interval", "--validate"}) {
    if (app.count(name) == 0) continue;
    return {fmt::format("{} does not go with --concurrency apply={}", name, options->advice_set),
            "nothing is measured then: the advice is that of the trace"};
  }
  if (is_same_file(options->output, options->advice_set)) {
    return {"--output and --concurrency apply name the same trace", "name another file for the new trace"};
  }
  return {};
}

}  // namespace xsp::launch
