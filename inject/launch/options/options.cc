#include "inject/launch/options/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/command_line.h"
#include "base/same_file.h"
#include "inject/launch/options/concurrency_choice.h"
#include "inject/launch/options/continuous_choice.h"
#include "inject/launch/options/device_choice.h"
#include "inject/launch/options/exit_codes.h"
#include "inject/launch/options/leading_options.h"
#include "inject/launch/options/time_span.h"
#include "proto/environment.h"

namespace xsp::launch {
namespace {

constexpr int kMostRuns = 1000;
constexpr int kMostThreads = 4096;

constexpr const char* kHelp = R"(xsp-run: profile an unmodified program

  xsp-run -- python infer.py                 writes xsp-infer-<pid>.pb and says what to do next
  xsp-run -o run.pb -- python infer.py -b 8  names the trace; what follows -- is the program's
  xsp-run --level model -- python serve.py   records model calls only, at the lowest cost
  xsp-run --leveled --runs 5 -- python infer.py
                                             accurate latencies at every level, and the overhead
  xsp-run --check -- python3                 what can be recorded here, and what is missing

usage: xsp-run [options] [--] COMMAND [ARG...]

  -o, --output PATH    the trace; %p is the command's pid, %h the host, %t the time, %q{VAR} a
                       variable. Default: ./xsp-<script or program>-<pid>.pb
  -f, --force          replace PATH if it exists; without -f, xsp-run stops before the start
  -q, --quiet          print errors only
  -l, --level LEVEL    deepest level to record: model, layer, library or kernel (default: all)
      --library-calls WHICH   compute (default), or all: getters, setters and descriptors, too
      --cuda-api LIST  CUDA calls to record: launch, copy, sync, ... all, none, or function names
                       (cudaMemcpy*, -cudaFree)
      --activities LIST   GPU activities: kernel, memcpy, memset, overhead (default), sync, memory
      --serialize      run one kernel and one thread at a time, so that each kernel's layer is sure
      --metrics LIST   measure FLOPs, bytes and occupancy of kernels in a second run: roofline,
                       roofline-fp16, ... or names of CUPTI metrics. --metrics-only: only that run;
                       --metrics-leave-out NAMES: skip kernels with one of these (a,b) in the name
      --range NAME     record only while the range NAME (or NAME@DOMAIN, cudaProfilerApi) is open
      --delay TIME     start recording after this time (5, 500ms, 2s); --duration TIME: for so long
      --concurrency HOW   threads of models: measure tries 1, 2, ... in turn (--interval N: every
                       Nth; --validate: all); apply also runs with the best; apply=SET: SET's best
continuous recording (doc/continuous.md):
      --continuous     write parts into the folder -o; --rotate TIME: start a new part this often
      --sample HOW     look inside 1/N of the model calls, those of 2s/1m (2 s per minute), or auto
                       (default with --continuous): as many as fit --max-overhead PERCENT (1)
      --max-size SIZE  limit of the trace (200M) or folder (default 1G); --max-rate SIZE: limit per
                       second. Spans beyond a limit are counted by name, and not stored
several runs, whose traces go into the folder -o:
      --leveled        one run per level (model; +layer; +library; +kernel): latencies without the
                       overhead of deeper levels, and that overhead
      --runs N         do each run N times; --warmup N: run N times before, unrecorded
      --resolve        add a serialized run that finds the layer of each kernel
      --time-limit TIME   start no run after this time; --input FILE: standard input of each run
      --prepare CMD    run CMD before each run; {run} in CMD and COMMAND is the number of the run
other options:
      --no-children    record no child processes; --strict: exit 125 if the trace is not complete
      --audit          also see libraries opened with RTLD_DEEPBIND (LD_AUDIT; glibc 2.35 or newer)
      --on-full HOW    when a buffer is full: drop (and count; default) or block (wait)
      --summary HOW    at the end: auto (at most 15 lines), none, or full (the report, on stderr)
      --otlp URL       also send the trace to an OTLP/HTTP endpoint
      --collector SOCKET   send to a running xsp-collector, which writes the trace
      --log-file FILE  log what XSP does; --log-level LEVEL (default info; alone, logs to stderr)
      --check          check this machine and the Python or program COMMAND; run nothing
  -h, --help; -V, --version

xsp-run exits with the program's status, and prints to stderr. 125: xsp-run failed before the start,
--strict found a fault, or a set ended early; 126: not executable; 127: command not found.
)";

/// What is given as text and read after parsing.
struct Texts {
  std::string delay;
  std::string duration;
  std::string limit;
  std::string summary = "auto";
  std::string concurrency;
};

void declare_options(CLI::App* app, Options* options, Texts* texts) {
  app->set_help_flag();
  app->add_option("-o,--output", options->output);
  app->add_flag("-f,--force", options->force);
  app->add_flag("-q,--quiet", options->quiet);
  app->add_option("-l,--level", options->level)->check(one_of({"model", "layer", "library", "kernel"}));
  app->add_option("--library-calls", options->library_calls)->check(one_of({"compute", "all"}));
  app->add_option("--cuda-api", options->cuda_api);
  app->add_option("--activities", options->activities);
  app->add_flag("--serialize", options->serialize);
  app->add_option("--metrics", options->metrics);
  app->add_flag("--metrics-only", options->metrics_only);
  app->add_option("--metrics-leave-out", options->metrics_leave_out);
  app->add_option("--range", options->range);
  app->add_option("--delay", texts->delay);
  app->add_option("--duration", texts->duration);
  app->add_flag("--leveled", options->leveled);
  app->add_option("--runs", options->runs)->check(whole_number(1, kMostRuns));
  app->add_flag("--resolve", options->resolve);
  app->add_option("--warmup", options->warm_ups)->check(whole_number(0, kMostRuns));
  app->add_option("--input", options->input);
  app->add_option("--prepare", options->prepare);
  app->add_option("--time-limit", texts->limit);
  app->add_flag("--continuous", options->continuous);
  app->add_option("--max-size", options->max_size);
  app->add_option("--max-rate", options->max_rate);
  app->add_option("--rotate", options->rotate);
  app->add_option("--sample", options->sample);
  app->add_option("--max-overhead", options->max_overhead);
  app->add_option("--concurrency", texts->concurrency);
  app->add_option("--interval", options->interval)->check(whole_number(1, kMostThreads));
  app->add_flag("--validate", options->validate);
  app->add_flag("--no-children", options->no_children);
  app->add_flag("--audit", options->audit);
  app->add_option("--on-full", options->on_full)->check(one_of({"drop", "block"}));
  app->add_option("--summary", texts->summary)->check(one_of({"auto", "none", "full"}));
  app->add_option("--otlp", options->otlp);
  app->add_flag("--strict", options->strict);
  app->add_option("--collector", options->collector_socket);
  app->add_option("--log-level", options->log_level);
  app->add_option("--log-file", options->log_file);
  app->add_flag("--check", options->check);
  app->add_flag("-h,--help", options->help);
  app->add_flag("-V,--version", options->version);
}

Status check_device_choice(const CLI::App& app, const Options& options) {
  struct Choice {
    const char* name;
    const std::string& list;
    Status (*check)(const std::string&);
  };
  for (const auto& [name, list, check] : {Choice{"--cuda-api", options.cuda_api, check_cuda_api},
                                          Choice{"--activities", options.activities, check_activities}}) {
    if (app.count(name) == 0) continue;
    if (Status status = check(list); !status.ok()) return status;
    if (options.level.empty() || options.level == "kernel") continue;
    return {fmt::format("{} goes with --level kernel, not with --level {}", name, options.level),
            "leave out one of the two"};
  }
  return {};
}

/// --metrics joins two runs by the numbers of their kernel launches, counted from the start of a process: options that
/// begin or end the recording elsewhere are refused.
Status check_metrics(const CLI::App& app, const Options& options) {
  if (app.count("--metrics") == 0) {
    for (const char* with : {"--metrics-only", "--metrics-leave-out"}) {
      if (app.count(with) == 0) continue;
      return {fmt::format("{} without --metrics", with), fmt::format("for example --metrics roofline {}", with)};
    }
    return {};
  }
  if (Status status = check_metric_list(options.metrics); !status.ok()) return status;
  for (const char* other : {"--range", "--delay", "--duration", "--collector"}) {
    if (app.count(other) == 0) continue;
    return {fmt::format("--metrics does not go with {}", other),
            "kernels are counted from the start of the program to its end, into a trace of this run"};
  }
  // A set has a counting run of its own, which goes down to kernels whatever --level says.
  if (options.level.empty() || options.level == "kernel" || options.is_set()) return {};
  return {fmt::format("--metrics goes with --level kernel, not with --level {}", options.level),
          "leave out one of the two"};
}

Status check_window(const CLI::App& app, const Texts& texts, Options* options) {
  struct Time {
    const char* name;
    const std::string& text;
    uint64_t& nanoseconds;
  };
  constexpr const char* kHint = "times: 5 (seconds), 500ms, 2s, 1m";
  for (const auto& [name, text, nanoseconds] :
       {Time{"--delay", texts.delay, options->delay_ns}, Time{"--duration", texts.duration, options->duration_ns},
        Time{"--time-limit", texts.limit, options->time_limit_ns}}) {
    if (app.count(name) == 0) continue;
    const auto value = parse_time_span(text);
    if (!value) return {fmt::format("{}: \"{}\" is no time", name, text), kHint};
    nanoseconds = *value;
  }
  if (app.count("--duration") != 0 && options->duration_ns == 0) {
    return {"--duration 0 would record nothing", kHint};
  }
  if (app.count("--range") == 0) return {};
  if (options->range.empty() || options->range.front() == '@') {
    return {"--range: no name", "--range NAME, --range NAME@DOMAIN, or --range cudaProfilerApi"};
  }
  if (options->range.size() >= kRangeBytes) {
    return {fmt::format("--range: the name is longer than {} characters", kRangeBytes - 1), "use a shorter name"};
  }
  return {};
}

/// Options that only several runs have, and those that they cannot have.
Status check_set(const CLI::App& app, const Options& options) {
  if (!options.is_set()) {
    for (const char* name : {"--warmup", "--input", "--prepare", "--time-limit"}) {
      if (app.count(name) == 0) continue;
      return {fmt::format("{} goes with several runs", name), "--leveled, --runs N or --resolve make them"};
    }
    return {};
  }
  if (app.count("--collector") != 0) {
    return {"several runs do not go with --collector", "each has a trace of its own: --output DIR"};
  }
  if (options.metrics_only) {
    return {"several runs do not go with --metrics-only", "with --metrics, one run more counts"};
  }
  if (options.resolve && options.serialize) {
    return {"--serialize does not go with --resolve", "--resolve adds one serialised run; --serialize serialises all"};
  }
  for (const auto& [name, text] : {std::pair("--input", &options.input), {"--prepare", &options.prepare}}) {
    if (app.count(name) != 0 && text->empty())
      return {fmt::format("{} is empty", name),
              name == std::string_view("--input") ? "for example --input data.txt" : "for example --prepare 'sync'"};
  }
  if (app.count("--time-limit") != 0 && options.time_limit_ns == 0) {
    return {"--time-limit 0 would run nothing", "times: 5 (seconds), 500ms, 2s, 1m"};
  }
  return {};
}

}  // namespace

std::string help_text() { return kHelp; }

Status parse_options(int argc, char** argv, Options* options) {
  CLI::App app;
  Texts texts;
  declare_options(&app, options, &texts);
  constexpr const char* kSeeHelp = "xsp-run --help lists the options; the program's own options go after COMMAND";
  if (Status status = parse_leading_options(&app, argc, argv, kSeeHelp, &options->command); !status.ok()) return status;
  options->summary = texts.summary == "none"   ? Summary::kNone
                     : texts.summary == "full" ? Summary::kFull
                                               : Summary::kAuto;
  if (Status status = check_device_choice(app, *options); !status.ok()) return status;
  if (Status status = check_window(app, texts, options); !status.ok()) return status;
  if (Status status = check_metrics(app, *options); !status.ok()) return status;
  if (Status status = check_concurrency(app, texts.concurrency, options); !status.ok()) return status;
  if (Status status = check_set(app, *options); !status.ok()) return status;
  if (Status status = check_continuous(app, options); !status.ok()) return status;
  if (is_same_file(options->output, options->log_file)) {
    return {"--output and --log-file name the same file", "name another file for the log"};
  }
  if (options->help || options->version || options->check) return {};
  if (options->command.empty()) {
    return {"no command given", "for example: xsp-run -- python infer.py"};
  }
  if (options->command[0].empty())
    return {"the command is an empty string", "for example: xsp-run -- python infer.py", kExitNotFound};
  if (!options->collector_socket.empty() && (!options->output.empty() || options->force)) {
    return {"--output and --force do not go with --collector",
            "the running xsp-collector writes the trace; give it the output"};
  }
  if (app.count("--otlp") != 0 && options->otlp.empty()) return {"--otlp: no URL", "for example http://localhost:4318"};
  if (!options->collector_socket.empty() && app.count("--otlp") != 0) {
    return {"--otlp does not go with --collector",
            "the running xsp-collector writes the trace; behind it: xsp-report TRACE --otlp URL"};
  }
  return {};
}

}  // namespace xsp::launch
