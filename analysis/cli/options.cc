#include "analysis/cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "analysis/cli/help.h"
#include "analysis/cli/targets.h"
#include "analysis/compare/comparison_tables.h"
#include "analysis/export/otlp_sender.h"
#include "analysis/work/peak_options.h"
#include "base/command_line.h"
#include "base/similar_words.h"

namespace xsp::analysis {
namespace {

constexpr const char* kSeeHelp = "xsp-report --help lists the options";
const std::vector<std::string> kStatistics = {"trimmed", "mean", "median", "min", "max", "p50", "p90", "p95", "p99"};
const std::vector<std::string> kRules = {"rule", "max"};
constexpr int kMostCores = 65536;

/// The options as text, before they are checked.
struct Given {
  std::vector<std::string> analyses;
  std::string format = "text";
  std::string statistic = "trimmed";
  std::string per = "evaluation";
  std::string optimal = "rule";
  std::string color = "auto";
  std::optional<std::string> peak_flops;
  std::optional<std::string> bandwidth;
  std::vector<std::string> fail_if;
  std::vector<std::string> exports;
  std::string otlp_level;
  std::optional<std::string> last;
  std::optional<std::string> iterations;
  std::string mining = "periods";
  bool html = false;
  bool help = false;
  bool version = false;
};

std::string url_problem(const std::string& text) { return text.empty() ? "the URL is empty" : ""; }

std::string file_name_problem(const std::string& text) { return text.empty() ? "the file's name is empty" : ""; }

bool is_all(const std::string& id) { return id == "all" || id == "ALL" || id == "All"; }

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Exporter& exporter : exporters()) names.emplace_back(exporter.name);
  return names;
}

/// help.cc says what they do.
void declare(CLI::App* app, Options* options, Given* given) {
  StudyOptions& study = options->study;
  app->set_help_flag();
  app->add_flag("-h,--help", given->help);
  app->add_flag("-V,--version", given->version);
  app->add_option("TRACE", options->traces);
  app->add_option("-a,--analysis", given->analyses)->delimiter(',')->allow_extra_args(false);
  app->add_flag("--html", given->html);
  app->add_flag("--open", options->open);
  app->add_option("--export", given->exports)->allow_extra_args(false);
  app->add_option("--otlp", options->otlp)->check(url_problem);
  app->add_option("--otlp-level", given->otlp_level)->check(one_of({"model", "layer", "library", "runtime", "device"}));
  app->add_flag("--redact", options->redact);
  app->add_flag("--plain", options->plain);
  app->add_option("--color", given->color)->check(one_of({"auto", "always", "never"}));
  app->add_option("--format", given->format)->check(one_of({"text", "json", "csv", "html"}));
  app->add_option("-o,--output", options->output)->check(file_name_problem);
  app->add_option("--top", options->top)->check(whole_number(0));
  app->add_option("--stat", given->statistic);
  app->add_option("--per", given->per)->check(one_of({"evaluation", "trace"}));
  app->add_option("--skip", study.skip)->check(whole_number(0));
  app->add_option("--model", study.model);
  app->add_option("--process", study.process);
  app->add_option("--last", given->last);
  app->add_option("--layers", options->roles.layers);
  app->add_option("--model-span", options->roles.model_span);
  app->add_option("--iterations", given->iterations);
  app->add_option("--mining", given->mining)->check(one_of({"periods", "suffix-tree"}));
  app->add_option("--unmatched", study.mining.most_unmatched)->check(whole_number(0));
  app->add_option("--bounds", options->bounds)->check(file_name_problem);
  app->add_option("--graph", options->graph)->check(file_name_problem);
  app->add_option("--curves", options->curves)->check(file_name_problem);
  app->add_option("--cores", study.concurrency.cores)->check(whole_number(1, kMostCores));
  app->add_option("--interval", study.concurrency.interval)->check(whole_number(1, kMostCores));
  app->add_flag("--paper", study.concurrency.paper);
  app->add_option("--optimal", given->optimal);
  app->add_option("--baseline", study.baseline);
  app->add_option("--gpu", study.peaks.gpu);
  app->add_option("--peak-flops", given->peak_flops);
  app->add_option("--mem-bw", given->bandwidth);
  app->add_flag("--diff", options->diff);
  app->add_option("--fail-if", given->fail_if)->allow_extra_args(false);
  app->add_flag("--summary", options->summary);
  app->add_flag("--strict", options->strict);
  app->add_flag("-q,--quiet", options->quiet);
  app->add_flag("-v,--verbose", options->verbose);
  app->add_option("--log-level", options->log_level);
  app->add_option("--log-file", options->log_file);
}

/// "runs/infer.pb" gives "infer"; standard input and the root give "report".
std::string stem_of(const std::string& trace) {
  std::filesystem::path path(trace);
  if (path.filename().empty()) path = path.parent_path();
  const std::string stem = path.stem().string();
  return stem.empty() || stem == "-" || stem == "." || stem == ".." ? "report" : stem;
}

/// What --diff asks for, and what cannot be combined with it.
Status check_diff(const Given& given, Options* options) {
  if (options->traces.size() < 2) {
    return {"--diff compares two inputs, and " + options->traces.front() + " is one",
            "xsp-report --diff BASE NEW: each a trace or a folder of them"};
  }
  if (std::count(options->traces.begin(), options->traces.end(), "-") > 1) {
    return {"--diff cannot read both inputs from standard input", kSeeHelp};
  }
  if (options->study.per_trace) return {"--diff takes no --per trace (evaluations are compared, not totals)", kSeeHelp};
  if (options->format == Format::kHtml || !options->exports.empty() || !options->otlp.empty()) {
    return {"--diff has no page and no exports (text, json and csv only)", kSeeHelp};
  }
  if (!options->bounds.empty()) return {"--diff takes no --bounds (they are of one trace)", kSeeHelp};
  if (!options->graph.empty() || !options->curves.empty()) {
    return {"--diff takes no --graph and no --curves (E1 to E3 are not compared)", kSeeHelp};
  }
  if (options->summary) return {"--diff takes no --summary (the first line of the comparison is one)", kSeeHelp};
  if (!options->study.baseline.empty()) return {"--diff takes no --baseline (M1 is not compared)", kSeeHelp};
  const auto is_named = [&](const TableDefinition& analysis) {
    return std::any_of(given.analyses.begin(), given.analyses.end(), [&](const std::string& id) {
      std::vector<const TableDefinition*> named;
      return choose_analyses({id}, &named).ok() && named.size() == 1 && named.front() == &analysis;
    });
  };
  for (const TableDefinition* analysis : options->analyses) {
    if (can_be_compared(analysis->id) || !is_named(*analysis)) continue;
    return {std::string(analysis->id) + " cannot be compared (what can: " + comparable_ids() + ")",
            "make it of each input: xsp-report -a " + std::string(analysis->id) + " TRACE"};
  }
  std::erase_if(options->analyses, [](const TableDefinition* analysis) { return !can_be_compared(analysis->id); });
  return {};
}

Status check_format(const Given& given, Options* options) {
  options->format = given.format == "json" ? Format::kJson : given.format == "csv" ? Format::kCsv : Format::kText;
  if (given.html && options->format != Format::kText) {
    return {"--html and --format " + given.format + " are two outputs",
            "--export " + given.format + " adds the tables"};
  }
  if (given.html || given.format == "html") options->format = Format::kHtml;
  options->color = given.color == "always" ? Color::kAlways : given.color == "never" ? Color::kNever : Color::kAuto;
  const bool page = options->format == Format::kHtml;
  if (page && options->output.empty()) options->output = stem_of(options->traces.front()) + ".html";
  if (!page && options->output == "-") options->output.clear();
  if (options->open && !page) return {"--open shows a page, and none is asked for", "add --html"};
  if (options->open && options->output == "-") return {"--open needs the page in a file", "name it: -o FILE"};
  return {};
}

Status check_exports(const Given& given, Options* options) {
  for (size_t level = 0; level < kLevelCount; ++level) {
    if (given.otlp_level == kLevelNames[level]) options->otlp_level = static_cast<Level>(level);
  }
  if (!options->otlp.empty()) {
    HttpEndpoint receiver;
    if (Status status = parse_otlp_url(options->otlp, &receiver); !status.ok()) return status;
  }
  if (options->otlp_level && options->otlp.empty()) return {"--otlp-level is of --otlp, and nothing is sent", kSeeHelp};
  for (const std::string& text : given.exports) {
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const Exporter* exporter = find_exporter(name);
    if (exporter == nullptr) return {"--export: unknown format '" + name + "'", choice_hint(name, format_names())};
    const std::string stem = stem_of(options->traces.front());
    options->exports.push_back(
        {exporter, equals == std::string::npos ? stem + std::string(exporter->extension) : text.substr(equals + 1)});
    if (options->exports.back().path.empty()) {
      return {"--export " + text + ": the file's name is empty",
              "for example: --export " + name + "=" + stem + std::string(exporter->extension)};
    }
  }
  return {};
}

/// "10" or "10,3": known counts of iterations.
Status read_counts(const std::string& text, std::vector<uint32_t>* counts) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    uint32_t count = 0;
    const auto [after, failure] = std::from_chars(at, end, count);
    if (failure != std::errc() || count == 0 || (after != end && *after != ',')) {
      return {"--iterations " + text + " is no count of iterations",
              "a number from 1 on, or several with commas between"};
    }
    counts->push_back(count);
    if (after == end) return {};
    at = after + 1;
  }
}

Status check_mining(const Given& given, MiningOptions* mining) {
  const bool as_in_paper = given.mining == "suffix-tree";
  mining->method = as_in_paper ? MiningMethod::kSuffixTree : MiningMethod::kPeriods;
  if (given.iterations) {
    if (Status status = read_counts(*given.iterations, &mining->counts); !status.ok()) return status;
  }
  if (!as_in_paper && mining->counts.size() > 1) {
    return {"--iterations " + *given.iterations + " is of several loops, whose counts only --mining suffix-tree takes",
            "give the count of the outermost loop, or none"};
  }
  if (!as_in_paper && mining->most_unmatched) return {"--unmatched is of --mining suffix-tree", kSeeHelp};
  return {};
}

/// "90s", "10m", "3h", "2d": ns.
Status read_last(const std::string& text, int64_t* ns) {
  constexpr int64_t kSecond = 1'000'000'000;
  constexpr int64_t kMost = 10'000;  // of any unit
  int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [after, failure] = std::from_chars(text.data(), end, count);
  const std::string_view unit(after, static_cast<size_t>(end - after));
  const int64_t seconds = unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : unit == "d" ? 86'400 : 0;
  if (failure != std::errc() || seconds == 0 || count <= 0 || count > kMost) {
    return {"--last " + text + " is no time", "a number and a unit: 90s, 10m, 3h or 2d"};
  }
  *ns = count * seconds * kSecond;
  return {};
}

Status check(const Given& given, Options* options) {
  if (options->traces.empty())
    return {"no TRACE given", "for example: xsp-report run.pb; to record one: xsp-run -o run.pb -- COMMAND"};
  if (Status status = choose_analyses(given.analyses, &options->analyses); !status.ok()) return status;
  options->all_analyses = given.analyses.empty();
  options->every_analysis = options->all_analyses || std::any_of(given.analyses.begin(), given.analyses.end(), is_all);
  if (Status status = check_format(given, options); !status.ok()) return status;
  if (Status status = check_exports(given, options); !status.ok()) return status;
  options->study.per_trace = given.per == "trace";
  const auto statistic = Statistic::parse(given.statistic);
  if (!statistic)
    return {"--stat: unknown statistic '" + given.statistic + "'", choice_hint(given.statistic, kStatistics, "pN")};
  options->study.statistic = *statistic;
  const auto optimal = OptimalBatch::parse(given.optimal);
  if (!optimal) {
    return {"--optimal: unknown rule '" + given.optimal + "'", choice_hint(given.optimal, kRules, "latency=MS")};
  }
  options->study.optimal = *optimal;
  if (Status status = check_mining(given, &options->study.mining); !status.ok()) return status;
  if (given.last) {
    if (Status status = read_last(*given.last, &options->last_ns); !status.ok()) return status;
  }
  PeakOptions& peaks = options->study.peaks;
  if (Status status = check_peak_options(peaks); !status.ok()) return status;
  if (given.peak_flops) {
    if (Status status = parse_peak_flops(*given.peak_flops, &peaks); !status.ok()) return status;
  }
  if (given.bandwidth) {
    if (Status status = parse_memory_bandwidth(*given.bandwidth, &peaks); !status.ok()) return status;
  }
  const bool is_exported = !given.exports.empty() || !options->otlp.empty();
  if (options->summary && (options->format != Format::kText || !given.analyses.empty() || is_exported)) {
    return {"--summary takes no --analysis, --format, --html or --export (it is a fixed text)", kSeeHelp};
  }
  for (const std::string& text : given.fail_if) {
    Condition& condition = options->fail_if.emplace_back();
    if (Status status = parse_condition(text, &condition); !status.ok()) return status;
    if (condition.needs_base && !options->diff) {
      return {"--fail-if '" + text + "': base and significant are of a comparison", "add --diff BASE NEW"};
    }
  }
  if (options->diff) {
    if (Status status = check_diff(given, options); !status.ok()) return status;
  }
  return check_targets(*options);
}

}  // namespace

bool wants_text(const Options& options) {
  if (options.format == Format::kHtml) return false;
  const bool is_exported = !options.exports.empty() || !options.otlp.empty();
  return !is_exported || !options.output.empty() || options.format != Format::kText || !options.all_analyses;
}

bool wants_overview(const Options& options) {
  return options.format == Format::kText && options.all_analyses && !options.diff && !options.summary;
}

std::vector<std::string> option_names() {
  CLI::App app;
  Options options;
  Given given;
  declare(&app, &options, &given);
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

Request parse_options(int argc, char** argv, Options* options, std::string* text, Status* status) {
  CLI::App app("", "xsp-report");
  Given given;
  declare(&app, options, &given);
  *status = parse_command_line(&app, {argv + std::min(argc, 1), argv + argc}, kSeeHelp);
  if (!status->ok()) return Request::kUsageError;
  if (given.help || given.version) {
    *text = given.help ? help_text() : std::string("xsp-report ") + XSP_VERSION + "\n";
    return Request::kPrint;
  }
  *status = check(given, options);
  return status->ok() ? Request::kReport : Request::kUsageError;
}

}  // namespace xsp::analysis
