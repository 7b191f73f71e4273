#include "analysis/cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "analysis/compare/comparison_tables.h"
#include "analysis/metrics/peak_options.h"

namespace xsp::analysis {
namespace {

constexpr const char* kDescription = R"(Tables of a trace that xsp-run recorded.

  xsp-report trace.pb                      all tables
  xsp-report trace.pb -a A2 --top 5        the five slowest layers
  xsp-report b1.pb b8.pb b64.pb -a A1      throughput and the optimal batch size
  xsp-report FOLDER -a M1 --baseline NAME  models, systems and ranks side by side
  xsp-report SET -a L1                     what profiling costs, of xsp-run --leveled -o SET
  xsp-report trace.pb -a A9,A14 --gpu V100 rooflines of kernels and layers
  xsp-report --diff BASE NEW               what became slower, and which layers changed
  xsp-report trace.pb --fail-if 'A1.latency_ms > 20'
  xsp-report trace.pb --format json -o report.json

Exit codes: 0 done, 1 a --fail-if holds, 2 wrong usage, 3 input missing or unreadable, 4 with
--strict: data is missing, or a --fail-if cannot be judged, 5 the output cannot be written, 6 the
report contradicts itself.)";

/// The options as text, before they are checked.
struct Given {
  std::vector<std::string> analyses;
  std::string format = "text";
  std::string statistic = "trimmed";
  std::string per = "evaluation";
  std::string optimal = "rule";
  std::optional<std::string> peak_flops;
  std::optional<std::string> bandwidth;
  std::vector<std::string> fail_if;
  std::vector<std::string> exports;
  std::string otlp_level;
  bool html = false;
};

std::string file_name_problem(const std::string& text) { return text.empty() ? "the file's name is empty" : ""; }

/// CLI11 reads "-1" as a very large unsigned number.
std::string count_problem(const std::string& text) {
  return text.starts_with('-') ? "'" + text + "' is less than 0" : "";
}

std::string format_names() {
  std::string names;
  for (const Exporter& exporter : exporters()) names += (names.empty() ? "" : ", ") + std::string(exporter.name);
  return names;
}

void declare(CLI::App* app, Options* options, Given* given) {
  app->add_option("TRACE", options->traces, "trace files, folders of them, or - for standard input")->required();
  app->add_option("-a,--analysis", given->analyses, "tables by id, such as A1,A2,Q1 (default: all)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LIST");
  app->add_flag("--html", given->html, "one page with everything, in TRACE's name with .html (or -o FILE)");
  app->add_flag("--open", options->open, "show the page in a browser");
  app->add_option("--export", given->exports, "write FMT to FILE (default: TRACE's name): " + format_names())
      ->allow_extra_args(false)
      ->type_name("FMT[=FILE]");
  app->add_option("--otlp", options->otlp, "send the spans to an OTLP/HTTP endpoint")->type_name("URL");
  app->add_option("--otlp-level", given->otlp_level,
                  "deepest level to send (default: the deepest that receivers can show, 10,000 spans an evaluation)")
      ->check(CLI::IsMember({"model", "layer", "library", "runtime", "device"}));
  app->add_flag("--redact", options->redact, "leave out command lines, host names and folders");
  app->add_flag("--plain", options->plain, "ASCII only");
  app->add_option("--format", given->format, "text, json, csv or html")
      ->check(CLI::IsMember({"text", "json", "csv", "html"}));
  app->add_option("-o,--output", options->output, "write to FILE")->check(file_name_problem)->type_name("FILE");
  app->add_option("--top", options->top, "at most N rows of a table; 0: all (default: 20 on a terminal, else all)")
      ->check(count_problem)
      ->type_name("N");
  app->add_option("--stat", given->statistic, "trimmed (20 % mean), mean, median, min, max, p50, p90, p95, p99");
  app->add_option("--per", given->per, "evaluation, or trace: totals of everything")
      ->check(CLI::IsMember({"evaluation", "trace"}));
  app->add_option("--skip", options->study.skip,
                  "warm-up evaluations of each run to leave out (default: what is found, at least 1 of more than 2)")
      ->check(count_problem)
      ->type_name("N");
  app->add_option("--model", options->study.model,
                  "the model of A2 to A14, C1 and C2 (default: the one evaluated most)")
      ->type_name("NAME");
  app->add_option("--process", options->study.process, "only this process")->type_name("PID|rankN");
  app->add_option("--layers", options->roles.layers,
                  "what layers are: auto, module, op, library, nvtx:REGEX (default: as imported, else auto)")
      ->type_name("WHAT");
  app->add_option("--model-span", options->roles.model_span,
                  "spans that are evaluations of a model: all whose whole name REGEX matches")
      ->type_name("REGEX");
  app->add_option("--optimal", given->optimal, "optimal batch size by: rule, max, latency=MS")->type_name("BY");
  app->add_option("--baseline", options->study.baseline,
                  "compare the rows of M1 with this model, system, framework or rankN")
      ->type_name("NAME");
  app->add_option("--gpu", options->study.peaks.gpu, "the GPU that roofs are of, such as V100 (default: the trace's)")
      ->type_name("NAME");
  app->add_option("--peak-flops", given->peak_flops,
                  "its peak per second: 15.7T, or by type f16:125T,f32:15.7T (default: its data sheet's)")
      ->type_name("LIST");
  app->add_option("--mem-bw", given->bandwidth, "its memory bandwidth in bytes per second, such as 900G")
      ->type_name("BYTES");
  app->add_flag("--diff", options->diff,
                "compare two inputs: the first TRACE is BASE, the others are NEW (A1, A2, A6, A8, A10, A11)");
  app->add_option("--fail-if", given->fail_if,
                  "exit 1 when this holds, such as 'A1.latency_ms > 20' or, with --diff, "
                  "'A2[conv*].latency_ms > 1.05*base and significant'; may be repeated")
      ->allow_extra_args(false)
      ->type_name("EXPR");
  app->add_flag("--summary", options->summary, "a dozen lines instead of tables");
  app->add_flag("--strict", options->strict, "exit 4 when the trace or a table lacks data");
  app->add_flag("-q,--quiet", options->quiet, "no warnings");
  app->set_version_flag("-V,--version", std::string("xsp-report ") + XSP_VERSION);
}

/// "runs/infer.pb" gives "infer"; standard input and the root give "report".
std::string stem_of(const std::string& trace) {
  std::filesystem::path path(trace);
  if (path.filename().empty()) path = path.parent_path();
  const std::string stem = path.stem().string();
  return stem.empty() || stem == "-" || stem == "." || stem == ".." ? "report" : stem;
}

constexpr const char* kSeeHelp = "see: xsp-report --help";

/// What --diff asks for, and what it cannot have.
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
  if (options->summary) return {"--diff takes no --summary (the first line of the comparison is one)", kSeeHelp};
  if (!options->study.baseline.empty()) return {"--diff takes no --baseline (M1 is not compared)", kSeeHelp};
  const auto is_named = [&](const Analysis& analysis) {
    return std::any_of(given.analyses.begin(), given.analyses.end(), [&](const std::string& id) {
      std::vector<const Analysis*> named;
      return choose_analyses({id}, &named).ok() && named.size() == 1 && named.front() == &analysis;
    });
  };
  for (const Analysis* analysis : options->analyses) {
    if (can_be_compared(analysis->id) || !is_named(*analysis)) continue;
    return {std::string(analysis->id) + " cannot be compared (what can: " + comparable_ids() + ")",
            "make it of each input: xsp-report -a " + std::string(analysis->id) + " TRACE"};
  }
  std::erase_if(options->analyses, [](const Analysis* analysis) { return !can_be_compared(analysis->id); });
  return {};
}

Status check(const Given& given, Options* options) {
  if (Status status = choose_analyses(given.analyses, &options->analyses); !status.ok()) return status;
  options->all_analyses = given.analyses.empty();
  options->format = given.format == "json" ? Format::kJson : given.format == "csv" ? Format::kCsv : Format::kText;
  if (given.html) options->format = Format::kHtml;
  if (given.format == "html") options->format = Format::kHtml;
  const std::string stem = stem_of(options->traces.front());
  if (options->format == Format::kHtml && options->output.empty()) options->output = stem + ".html";
  for (size_t level = 0; level < kLevelCount; ++level) {
    if (given.otlp_level == kLevelNames[level]) options->otlp_level = static_cast<Level>(level);
  }
  for (const std::string& text : given.exports) {
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const Exporter* exporter = find_exporter(name);
    if (exporter == nullptr) return {"unknown format '" + name + "' (known: " + format_names() + ")", kSeeHelp};
    options->exports.push_back(
        {exporter, equals == std::string::npos ? stem + std::string(exporter->extension) : text.substr(equals + 1)});
    if (options->exports.back().path.empty()) return {"--export " + text + ": the file's name is empty", kSeeHelp};
  }
  options->study.per_trace = given.per == "trace";
  const auto statistic = Statistic::parse(given.statistic);
  if (!statistic) return {"unknown statistic '" + given.statistic + "'", kSeeHelp};
  options->study.statistic = *statistic;
  const auto optimal = OptimalBatch::parse(given.optimal);
  if (!optimal) return {"unknown rule '" + given.optimal + "' (known: rule, max, latency=MS)", kSeeHelp};
  options->study.optimal = *optimal;
  PeakOptions& peaks = options->study.peaks;
  if (Status status = check_peak_options(peaks); !status.ok()) return status;
  if (given.peak_flops) {
    if (Status status = parse_peak_flops(*given.peak_flops, &peaks); !status.ok()) return status;
  }
  if (given.bandwidth) {
    if (Status status = parse_memory_bandwidth(*given.bandwidth, &peaks); !status.ok()) return status;
  }
  if (options->summary && (options->format != Format::kText || !given.analyses.empty())) {
    return {"--summary takes neither --analysis nor --format (it is a fixed text)", kSeeHelp};
  }
  for (const std::string& text : given.fail_if) {
    Condition& condition = options->fail_if.emplace_back();
    if (Status status = parse_condition(text, &condition); !status.ok()) return status;
    if (condition.needs_base && !options->diff) {
      return {"--fail-if '" + text + "': base and significant are of a comparison", "add --diff BASE NEW"};
    }
  }
  return options->diff ? check_diff(given, options) : Status{};
}

}  // namespace

Request parse_options(int argc, char** argv, Options* options, std::string* text, Status* status) {
  CLI::App app(kDescription, "xsp-report");
  Given given;
  declare(&app, options, &given);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    *text = app.help();
    return Request::kPrint;
  } catch (const CLI::CallForVersion&) {
    *text = std::string("xsp-report ") + XSP_VERSION + "\n";
    return Request::kPrint;
  } catch (const CLI::ParseError& error) {
    *status = {error.what(), "see: xsp-report --help"};
    return Request::kUsageError;
  }
  *status = check(given, options);
  return status->ok() ? Request::kReport : Request::kUsageError;
}

}  // namespace xsp::analysis
