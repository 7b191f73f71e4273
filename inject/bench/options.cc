#include "inject/bench/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/command_line.h"
#include "base/similar_words.h"
#include "inject/bench/command_template.h"
#include "inject/launch/options/device_choice.h"
#include "inject/launch/options/exit_codes.h"
#include "inject/launch/options/leading_options.h"
#include "inject/launch/options/time_span.h"

namespace xsp::bench {
namespace {

constexpr const char* kHelp = R"(xsp-bench: measure a program over a sweep of parameters

  xsp-bench -L batch 1,2,4,...,256 -- python infer.py --batch {batch}
                           measures each batch size, and finds the best one
  xsp-bench --auto -- python infer.py --batch {batch}
                           doubles the batch until throughput stops rising or memory runs out
  xsp-bench -P threads 1 8 -L dtype fp16,fp32 -- ./serve {threads} {dtype}
                           measures all combinations
  xsp-bench --target-latency 20 -L batch 1,2,4,8 -- python infer.py --batch {batch}
                           finds the best batch size within 20 ms
  xsp-bench --threads -- python infer.py
                           finds how many threads the model should compute with

usage: xsp-bench [options] [--] COMMAND [ARG...]

  {NAME} in the command is the value of the parameter NAME.

  -L, --parameter-list NAME VALUES
                           values, separated by commas (\, is a comma in a value); ... continues a
                           progression
  -P, --parameter-scan NAME FIRST LAST
                           numbers from FIRST to LAST, in steps of 1
  -D, --parameter-step-size STEP
                           step of -P
      --auto               double the parameter (batch from 1, or -L NAME FIRST) until throughput
                           rises by no more than 5 %, or memory runs out
      --threads            run the command with 1, 2, ... threads for OpenMP, MKL, BLAS, TensorFlow
                           and ONNX Runtime, and as it is, until no layer gets faster or all cores
                           are used. --interval N: every Nth number (default: 1/16 of the cores);
                           --validate: all numbers; --inter: operators side by side instead (ONNX
                           Runtime's parallel mode, one thread each)
      --max VALUE          largest value that --auto or --threads tries
      --inputs N           inputs per call or step: a number, {size}, or '{size}*{sequence}'.
                           Default: the parameter batch if there is one, else the first dimension of
                           the model's input
  -r, --runs N             runs of each point, interleaved (default 1; with --threads 3)
  -w, --warmup N           unrecorded runs before them (default 0)
  -p, --prepare COMMAND    shell command to run before each run
      --input FILE         standard input of each run (default: none)
      --show-output        show what the first run printed when it has ended
      --time-limit TIME    start no run after this time (500ms, 90s, 10m, 2h)
  -i, --ignore-failure     go on with the other points if a command fails
      --optimal BY         how to choose the best point: rule (last rise of more than 5 %; default),
                           max, or latency=MS
      --target-latency MS  same as --optimal latency=MS
      --stat STAT          trimmed (default), mean, median, min, max, or a percentile such as p90
      --export-json FILE, --export-csv FILE
                           also write the tables to FILE
  -o, --output DIR         folder of the traces (default ./xsp-<name>-<pid>), for xsp-report DIR
  -f, --force              replace an existing set in DIR
  -q, --quiet              show no progress
  -l, --level LEVEL        record each point once, down to model, layer, library or kernel. Default:
                           model, for the latencies, and with a GPU a second run down to kernel
      --leveled            run each point at every level, to see the overhead of profiling
      --metrics LIST, --library-calls WHICH, --cuda-api LIST, --activities LIST, --no-children
                           as in xsp-run
  -h, --help               show this text
  -V, --version            show the version

Tables go to stdout, progress to stderr, the program's output to DIR. Running out of memory ends the
sweep and is no error. xsp-bench exits with the status of the first command that fails. 125:
xsp-bench itself failed; 126: not executable; 127: command not found.
)";

constexpr int kMostThreads = 4096;
constexpr uint32_t kRunsOfThreads = 3;
constexpr int64_t kBillion = 1'000'000'000;
constexpr const char* kThreads = "threads";  // the parameter of --threads

constexpr const char* kSeeHelp = "xsp-bench --help lists the options; the program's own options go after COMMAND";

/// What is given as text and checked after parsing.
struct Texts {
  std::vector<std::string> lists;  ///< name and values of each -L
  std::vector<std::string> scans;  ///< name, first and last of each -P
  std::vector<std::string> steps;
  std::string inputs;
  std::string most;
  std::string target_latency;
  std::string time_limit;
};

CLI::Option* add_values(CLI::App* app, const std::string& names, std::vector<std::string>* values, int count) {
  return app->add_option(names, *values)->type_size(count)->allow_extra_args(false);
}

void declare_options(CLI::App* app, Options* options, Texts* texts) {
  launch::Options& recording = options->recording;
  app->set_help_flag();
  add_values(app, "-L,--parameter-list", &texts->lists, 2);
  add_values(app, "-P,--parameter-scan", &texts->scans, 3);
  add_values(app, "-D,--parameter-step-size", &texts->steps, 1);
  app->add_flag("--auto", options->automatic);
  app->add_option("--max", texts->most);
  app->add_flag("--threads", options->threads);
  app->add_flag("--inter", options->inter);
  app->add_flag("--validate", options->validate);
  app->add_option("--interval", options->interval)->check(whole_number(1, kMostThreads));
  app->add_option("--inputs", texts->inputs);
  app->add_option("-r,--runs", options->runs)->check(whole_number(1, 10'000));
  app->add_option("-w,--warmup", options->warm_ups)->check(whole_number(0, 10'000));
  app->add_option("-p,--prepare", options->prepare);
  app->add_option("--input", options->input_file);
  app->add_flag("--show-output", options->show_output);
  app->add_flag("-i,--ignore-failure", options->ignore_failure);
  app->add_option("--time-limit", texts->time_limit);
  app->add_option("--optimal", options->optimal);
  app->add_option("--stat", options->statistic);
  app->add_option("--target-latency", texts->target_latency);
  app->add_option("--export-json", options->json);
  app->add_option("--export-csv", options->csv);
  app->add_option("-o,--output", recording.output);
  app->add_flag("-f,--force", recording.force);
  app->add_flag("-q,--quiet", recording.quiet);
  app->add_option("-l,--level", recording.level)->check(one_of({"model", "layer", "library", "kernel"}));
  app->add_flag("--leveled", options->leveled);
  app->add_option("--metrics", recording.metrics);
  app->add_option("--library-calls", recording.library_calls)->check(one_of({"compute", "all"}));
  app->add_option("--cuda-api", recording.cuda_api);
  app->add_option("--activities", recording.activities);
  app->add_flag("--no-children", recording.no_children);
  app->add_flag("-h,--help", options->help);
  app->add_flag("-V,--version", options->version);
}

/// Lists and scans, in the order in which they were given.
Status read_parameters(const CLI::App& app, const Texts& texts, std::vector<SweepParameter>* parameters) {
  if (texts.steps.size() > texts.scans.size() / 3) {
    return {"more steps than scans", "-P NAME FIRST LAST -D STEP"};
  }
  size_t list = 0;
  size_t scan = 0;
  // The parser lists an option once for each of its values.
  const std::vector<CLI::Option*>& order = app.parse_order();
  for (size_t i = 0; i < order.size();) {
    SweepParameter parameter;
    Status status;
    if (order[i]->check_name("-L")) {
      status = parse_value_list(texts.lists[2 * list], texts.lists[2 * list + 1], &parameter);
      ++list;
      i += 2;
    } else if (order[i]->check_name("-P")) {
      const std::string step = scan < texts.steps.size() ? texts.steps[scan] : "";
      const std::string* scanned = &texts.scans[3 * scan];
      status = parse_scan(scanned[0], scanned[1], scanned[2], step, &parameter);
      ++scan;
      i += 3;
    } else {
      ++i;
      continue;
    }
    if (!status.ok()) return status;
    parameters->push_back(std::move(parameter));
  }
  return check_parameters(*parameters);
}

Status check_automatic(const Texts& texts, Options* options) {
  constexpr const char* kHint =
      "--auto doubles batch from 1; -L NAME FIRST names another parameter and its first value";
  if (options->threads) return {};
  if (!options->automatic) {
    if (texts.most.empty()) return {};
    return {"--max goes with --auto or --threads", "a list has the values that it names"};
  }
  if (options->parameters.empty()) options->parameters.push_back({"batch", {"1"}});
  const SweepParameter& parameter = options->parameters[0];
  if (options->parameters.size() > 1) return {"--auto sweeps one parameter", kHint};
  if (parameter.values.size() > 1) {
    return {fmt::format("--auto takes the first value of {} only, and finds the others itself", parameter.name), kHint};
  }
  const auto first = parse_decimal(parameter.values[0]);
  if (!first || first->billionths <= 0) {
    return {fmt::format("--auto: \"{}\" cannot be doubled", parameter.values[0]), kHint};
  }
  if (texts.most.empty()) return {};
  options->most = parse_decimal(texts.most);
  if (options->most && options->most->billionths >= first->billionths) return {};
  return {fmt::format("--max: \"{}\" is no number from {} on", texts.most, parameter.values[0]),
          "for example --max 1024"};
}

/// --threads sweeps a number that is no word of the command.
Status check_threads(const CLI::App& app, const Texts& texts, Options* options) {
  if (!options->threads) {
    for (const char* name : {"--interval", "--validate", "--inter"}) {
      if (app.count(name) == 0) continue;
      return {fmt::format("{} goes with --threads", name), "for example: xsp-bench --threads -- python infer.py"};
    }
    return {};
  }
  constexpr const char* kOneSweep =
      "it finds the numbers of threads itself; for each point of another sweep: one xsp-bench --threads";
  for (const char* name : {"-L", "-P", "-D", "--auto"}) {
    if (app.count(name) != 0) return {fmt::format("--threads does not go with {}", name), kOneSweep};
  }
  for (const char* name : {"--optimal", "--target-latency", "--inputs"}) {
    if (app.count(name) == 0) continue;
    return {fmt::format("--threads does not go with {}", name),
            "it compares latencies; throughput is for -L and --auto"};
  }
  if (app.count("--leveled") != 0 || app.count("--metrics") != 0) {
    return {fmt::format("--threads does not go with {}", app.count("--leveled") != 0 ? "--leveled" : "--metrics"),
            "it records the model for its latency, and its layers in other runs; --level LEVEL chooses one level"};
  }
  if (app.count("--runs") == 0) options->runs = kRunsOfThreads;
  options->parameters = {{kThreads, {"1"}}};
  if (texts.most.empty()) return {};
  options->most = parse_decimal(texts.most);
  const int64_t billionths = options->most ? options->most->billionths : 0;
  if (billionths > 0 && billionths % kBillion == 0 && billionths / kBillion <= kMostThreads) return {};
  return {fmt::format("--max: \"{}\" is no number of threads", texts.most), "for example --max 8"};
}

/// More runs than anybody would wait for are a slip of the user.
Status check_runs(const Options& options) {
  constexpr size_t kMostRuns = 100'000;
  size_t runs = options.runs + options.warm_ups;
  for (const SweepParameter& parameter : options.parameters) runs *= parameter.values.size();
  if (runs <= kMostRuns) return {};
  return {fmt::format("{} runs are more than {}", runs, kMostRuns), "fewer values, or smaller --runs"};
}

Status check_statistic(const CLI::App& app, const std::string& statistic) {
  if (app.count("--stat") == 0) return {};
  static const std::vector<std::string> kStatistics = {"trimmed", "mean", "median", "min", "max", "p90", "p95", "p99"};
  if (std::find(kStatistics.begin(), kStatistics.end(), statistic) != kStatistics.end()) return {};
  const auto percent = statistic.starts_with('p') ? parse_decimal(statistic.substr(1)) : std::nullopt;
  if (percent && value_of(*percent) >= 0 && value_of(*percent) <= 100) return {};
  return {fmt::format("--stat: unknown statistic '{}'", statistic), choice_hint(statistic, kStatistics, "pN")};
}

bool is_latency(const std::string& text) {
  const auto number = parse_decimal(text);
  return number && number->billionths > 0;
}

Status check_optimal(const Texts& texts, Options* options) {
  constexpr std::string_view kLatency = "latency=";
  if (!texts.target_latency.empty()) {
    if (!is_latency(texts.target_latency)) {
      return {fmt::format("--target-latency: \"{}\" is no number of milliseconds", texts.target_latency),
              "for example --target-latency 20"};
    }
    if (!options->optimal.empty()) return {"--target-latency and --optimal say the same", "leave out one of the two"};
    options->optimal = fmt::format("{}{}", kLatency, texts.target_latency);
  }
  const std::string& by = options->optimal;
  if (by.empty() || by == "rule" || by == "max") return {};
  if (by.starts_with(kLatency) && is_latency(by.substr(kLatency.size()))) return {};
  return {fmt::format("--optimal: unknown rule '{}'", by),
          choice_hint(by, std::vector<std::string>{"rule", "max"}, "latency=MS")};
}

Status check_time_limit(const CLI::App& app, const Texts& texts, Options* options) {
  if (app.count("--time-limit") == 0) return {};
  const auto limit = launch::parse_time_span(texts.time_limit);
  if (!limit || *limit == 0) {
    return {fmt::format("--time-limit: \"{}\" is no time", texts.time_limit), "times: 90s, 10m, 2h"};
  }
  options->recording.time_limit_ns = *limit;
  return {};
}

Status check_recording(const CLI::App& app, const Options& options) {
  const launch::Options& recording = options.recording;
  if (options.leveled && !recording.level.empty()) {
    return {"--leveled records every level, --level one of them", "leave out one of the two"};
  }
  for (const char* of_device : {"--cuda-api", "--activities", "--metrics"}) {
    if (app.count(of_device) == 0 || recording.level.empty() || recording.level == "kernel") continue;
    return {fmt::format("{} goes with --level kernel, not with --level {}", of_device, recording.level),
            "leave out one of the two"};
  }
  if (app.count("--cuda-api") > 0) {
    if (Status status = launch::check_cuda_api(recording.cuda_api); !status.ok()) return status;
  }
  if (app.count("--activities") > 0) {
    if (Status status = launch::check_activities(recording.activities); !status.ok()) return status;
  }
  if (app.count("--metrics") > 0) {
    if (Status status = launch::check_metric_list(recording.metrics); !status.ok()) return status;
  }
  return {};
}

Status check_command(const Options& options) {
  constexpr const char* kExample = "for example: xsp-bench -L batch 1,2,4,8 -- python infer.py --batch {batch}";
  const std::vector<std::string>& command = options.recording.command;
  if (command.empty()) {
    return {"no command given", kExample};
  }
  if (command[0].empty()) return {"the command is an empty string", kExample, launch::kExitNotFound};
  if (options.threads) return {};
  if (options.parameters.empty()) {
    return {"no parameter to sweep",
            "-L NAME VALUES, -P NAME FIRST LAST, --auto or --threads; a command without one is for xsp-run"};
  }
  return check_use(command, options.parameters);
}

}  // namespace

std::string help_text() { return kHelp; }

Status parse_options(int argc, char** argv, Options* options) {
  CLI::App app;
  Texts texts;
  declare_options(&app, options, &texts);
  if (Status status = launch::parse_leading_options(&app, argc, argv, kSeeHelp, &options->recording.command);
      !status.ok())
    return status;
  if (options->help || options->version) return {};
  if (Status status = read_parameters(app, texts, &options->parameters); !status.ok()) return status;
  if (Status status = check_runs(*options); !status.ok()) return status;
  if (Status status = check_threads(app, texts, options); !status.ok()) return status;
  if (Status status = check_automatic(texts, options); !status.ok()) return status;
  if (Status status = check_optimal(texts, options); !status.ok()) return status;
  if (Status status = check_statistic(app, options->statistic); !status.ok()) return status;
  if (Status status = check_time_limit(app, texts, options); !status.ok()) return status;
  if (Status status = check_recording(app, *options); !status.ok()) return status;
  if (Status status = check_command(*options); !status.ok()) return status;
  return InputsPerEvaluation::parse(texts.inputs, options->parameters, &options->inputs);
}

}  // namespace xsp::bench
