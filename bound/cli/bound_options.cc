#include "bound/cli/bound_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/command_line.h"
#include "base/number_text.h"
#include "base/same_file.h"
#include "base/similar_words.h"
#include "bound/advice/what_if.h"
#include "bound/backends/backend.h"
#include "bound/database/database.h"
#include "bound/onnx/element_type.h"

namespace xsp::bound {
namespace {

using analysis::Color;
using analysis::Format;

constexpr const char* kSeeHelp = "xsp-bound --help lists the options";
constexpr int64_t kMostThreads = 4096;
constexpr int64_t kMostBudgetMs = 3'600'000;

/// The options as text, before they are checked.
struct Given {
  std::vector<std::string> analyses;
  std::string format = "text";
  std::string color = "auto";
  std::vector<std::string> shapes;
  std::optional<int64_t> batch;
  std::optional<std::string> time_limit;
  std::optional<int64_t> budget;
  std::optional<int64_t> threads;
  std::vector<std::string> libraries;
  bool no_run = false;
  bool html = false;
  bool force = false;
  bool help = false;
  bool version = false;
};

std::string empty_name_problem(const std::string& text) { return text.empty() ? "the file's name is empty" : ""; }

/// bound_help.cc says what they do.
void declare(CLI::App* app, BoundOptions* options, Given* given) {
  app->set_help_flag();
  app->add_flag("-h,--help", given->help);
  app->add_flag("-V,--version", given->version);
  app->add_option("MODEL", options->models);
  app->add_option("-a,--analysis", given->analyses)->delimiter(',')->allow_extra_args(false);
  app->add_option("--top", options->top)->check(whole_number(0));
  app->add_flag("--html", given->html);
  app->add_flag("--open", options->open);
  app->add_option("--format", given->format)->check(one_of({"text", "json", "csv", "html"}));
  app->add_option("-o,--output", options->output)->check(empty_name_problem);
  app->add_flag("-f,--force", given->force);
  app->add_option("--dot", options->dot)->check(empty_name_problem);
  app->add_flag("--plain", options->plain);
  app->add_option("--color", given->color)->check(one_of({"auto", "always", "never"}));
  app->add_option("--batch", given->batch)->check(whole_number(1));
  app->add_option("--shape", given->shapes)->allow_extra_args(false);
  app->add_option("--dtype", options->dtypes)->delimiter(',')->allow_extra_args(false);
  app->add_option("--trace", options->trace)->check(empty_name_problem);
  app->add_option("--trace-model", options->trace_model)->check(empty_name_problem);
  app->add_option("--times", options->times)->check(empty_name_problem);
  app->add_flag("--no-run", given->no_run);
  app->add_flag("--refresh", options->refresh);
  app->add_option("--budget", given->budget)->check(whole_number(1, kMostBudgetMs));
  app->add_option("--time-limit", given->time_limit);
  app->add_option("--threads", given->threads)->check(whole_number(1, kMostThreads));
  app->add_option("--backend", options->backends)->delimiter(',')->allow_extra_args(false);
  app->add_option("--library", given->libraries)->allow_extra_args(false);
  app->add_flag("--exact", options->exact);
  app->add_option("--generate", options->generate)->check(empty_name_problem);
  app->add_option("--run", options->work_list)->check(empty_name_problem);
  app->add_option("--database", options->database)->check(empty_name_problem);
  app->add_option("--system", options->system)->check(empty_name_problem);
  app->add_flag("--list-systems", options->list_systems);
  app->add_option("--merge", options->merges)->allow_extra_args(false)->check(empty_name_problem);
  app->add_option("--export-csv", options->export_csv)->check(empty_name_problem);
  app->add_flag("--strict", options->strict);
  app->add_flag("-q,--quiet", options->quiet);
  app->add_flag("-v,--verbose", options->verbose);
  app->add_option("--log-level", options->log_level);
  app->add_option("--log-file", options->log_file);
}

/// "1,3,224,224", or "1x3x224x224"; empty for a scalar.
bool read_shape(std::string_view text, std::vector<int64_t>* shape) {
  while (!text.empty()) {
    const size_t end = text.find_first_of(",x");
    const auto size = number_in<int64_t>(text.substr(0, end));
    if (!size || *size < 0) return false;
    shape->push_back(*size);
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
    if (text.empty()) return false;
  }
  return true;
}

Status check_shapes(const Given& given, ShapeBindings* bindings) {
  bindings->batch = given.batch;
  for (const std::string& text : given.shapes) {
    const size_t equals = text.rfind('=');
    const std::string input = text.substr(0, equals);
    std::vector<int64_t> shape;
    if (equals == std::string::npos || input.empty() || !read_shape(text.substr(equals + 1), &shape)) {
      return {"--shape " + text + " names no input with its shape", "for example --shape input=1,3,224,224"};
    }
    if (!bindings->input_shapes.emplace(input, std::move(shape)).second) {
      return {"--shape gives input " + input + " twice", "give it once"};
    }
  }
  return {};
}

Status check_words(const std::vector<std::string>& words, const std::vector<std::string>& known,
                   const std::string& option, const std::string& what) {
  for (const std::string& word : words) {
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    return {option + ": unknown " + what + " '" + word + "'", choice_hint(word, known)};
  }
  return {};
}

/// "90s", "10m", "3h".
Status read_time_limit(const std::string& text, std::optional<double>* seconds) {
  const std::string_view digits = std::string_view(text).substr(0, text.find_last_of("0123456789") + 1);
  const std::string_view unit = std::string_view(text).substr(digits.size());
  const double scale = unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  const auto number = number_in<uint32_t>(digits);
  if (!number || scale == 0) return {"--time-limit " + text + " is no time", "a number and a unit: 90s, 10m or 3h"};
  *seconds = *number * scale;
  return {};
}

Status check_measuring(const Given& given, BoundOptions* options) {
  options->run = !given.no_run;
  std::vector<std::string>& dtypes = options->dtypes;
  for (size_t i = 0; i < dtypes.size(); ++i) {
    dtypes.erase(std::remove(dtypes.begin() + static_cast<std::ptrdiff_t>(i) + 1, dtypes.end(), dtypes[i]),
                 dtypes.end());
  }
  options->budget_ms = static_cast<double>(given.budget.value_or(100));
  if (given.threads) options->threads = static_cast<int>(*given.threads);
  if (given.time_limit) {
    if (Status status = read_time_limit(*given.time_limit, &options->time_limit_s); !status.ok()) return status;
  }
  if (Status status = check_words(options->backends, backend_names(), "--backend", "back end"); !status.ok()) {
    return status;
  }
  if (Status status = check_words(options->dtypes, precision_names(), "--dtype", "type"); !status.ok()) {
    return status;
  }
  for (const std::string& text : given.libraries) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      return {"--library " + text + " names no library with its version", "for example --library onednn=3.2"};
    }
    options->versions.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  if (!options->run && options->refresh) return {"--no-run and --refresh contradict each other", "leave one away"};
  if (!options->run && !options->work_list.empty()) {
    return {"--no-run and --run contradict each other", "leave one away"};
  }
  if (!options->system.empty() && options->refresh) {
    return {"--refresh measures on this machine, and --system names another one", "leave one away"};
  }
  return {};
}

/// "zoo/resnet50.onnx" gives "resnet50".
std::string stem_of(const std::string& model) {
  const std::string stem = std::filesystem::path(model).stem().string();
  return stem.empty() || stem == "." || stem == ".." ? "bounds" : stem;
}

Status check_output(const Given& given, BoundOptions* options) {
  options->format = given.format == "json" ? Format::kJson : given.format == "csv" ? Format::kCsv : Format::kText;
  if (given.html && options->format != Format::kText) {
    return {"--html and --format " + given.format + " are two outputs", "ask for one of them"};
  }
  if (given.html || given.format == "html") options->format = Format::kHtml;
  options->color = given.color == "always" ? Color::kAlways : given.color == "never" ? Color::kNever : Color::kAuto;
  const bool page = options->format == Format::kHtml;
  if (page && options->output.empty() && (!options->models.empty() || !options->trace.empty())) {
    options->output = stem_of(options->models.empty() ? options->trace : options->models[0]) + ".html";
  }
  if (!page && options->output == "-") options->output.clear();
  if (options->open && !page) return {"--open shows a page, and none is asked for", "add --html"};
  if (options->open && options->output == "-") return {"--open needs the page in a file", "name it: -o FILE"};
  return {};
}

/// That no output replaces an input or another output.
Status check_files(const BoundOptions& options) {
  struct File {
    std::string option;
    std::string path;
  };
  std::vector<File> outputs;
  for (const File& file : {File{"-o", options.output}, File{"--dot", options.dot}, File{"--generate", options.generate},
                           File{"--export-csv", options.export_csv}}) {
    if (!file.path.empty() && file.path != "-") outputs.push_back(file);
  }
  std::vector<File> inputs;
  for (const std::string& model : options.models) inputs.push_back({"the model", model});
  for (const std::string& merge : options.merges) inputs.push_back({"--merge", merge});
  if (!options.times.empty()) inputs.push_back({"--times", options.times});
  if (!options.trace.empty()) inputs.push_back({"--trace", options.trace});
  if (!options.work_list.empty()) inputs.push_back({"--run", options.work_list});
  inputs.push_back({"the database", options.database});
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (const File& input : inputs) {
      if (!is_same_file(outputs[i].path, input.path)) continue;
      return {outputs[i].option + " would replace " + input.option + (input.option[0] == '-' ? "'s file " : " ") +
                  input.path,
              "name another file: " + outputs[i].option + " FILE"};
    }
    for (size_t k = i + 1; k < outputs.size(); ++k) {
      if (!is_same_file(outputs[i].path, outputs[k].path)) continue;
      return {outputs[i].option + " and " + outputs[k].option + " both go to " + outputs[i].path,
              "name another file for one of them"};
    }
  }
  return {};
}

bool binds_shapes(const BoundOptions& options) { return options.shapes.batch || !options.shapes.input_shapes.empty(); }

Status check_purpose(const BoundOptions& options) {
  const bool looks_after_database = options.list_systems || !options.merges.empty() || !options.export_csv.empty();
  if (!options.work_list.empty() && !options.system.empty()) {
    return {"--run measures on this machine, and --system names another one", "leave one away"};
  }
  if (!options.work_list.empty() &&
      (options.format != Format::kText || !options.dtypes.empty() || binds_shapes(options) || !options.trace.empty())) {
    return {"--run measures a work list as it is, and reports nothing",
            "leave --format, --html, --dtype, --batch, --shape and --trace away"};
  }
  if ((!options.generate.empty() || !options.times.empty()) && looks_after_database) {
    return {std::string(options.generate.empty() ? "--times" : "--generate") + " uses no database",
            "run --merge, --export-csv and --list-systems by themselves"};
  }
  if (options.list_systems && (!options.models.empty() || !options.trace.empty() || !options.work_list.empty())) {
    return {"--list-systems lists the database, and something else is asked for, too", "run them one after the other"};
  }
  if (options.models.empty()) {
    if (!options.generate.empty())
      return {"--generate needs a model", "for example: xsp-bound model.onnx --generate todo.jsonl"};
    if (!options.dot.empty()) return {"--dot needs a model", "for example: xsp-bound model.onnx --dot graph.dot"};
    if (!options.times.empty()) return {"--times needs a model", "for example: xsp-bound model.onnx --times times.csv"};
    if (options.work_list.empty() && options.trace.empty() && !looks_after_database) {
      return {"no MODEL given", "for example: xsp-bound model.onnx"};
    }
    if (!options.dtypes.empty()) return {"--dtype needs a model", "for example: xsp-bound model.onnx --dtype bf16"};
    if (binds_shapes(options)) {
      return {"--batch and --shape need a model", "for example: xsp-bound model.onnx --batch 8"};
    }
  } else if (!options.work_list.empty()) {
    return {"--run measures a work list, and a model is given too", "run them one after the other"};
  }
  if (options.trace.empty() && !options.trace_model.empty()) {
    return {"--trace-model chooses a model of a trace, and none is given", "add --trace FILE"};
  }
  if (options.models.size() > 1 && !options.trace.empty()) {
    return {"--trace is compared with one model, and several are given", "give the one that ran"};
  }
  if (options.models.size() > 1 && !options.dot.empty()) {
    return {"--dot writes one graph, and several models are given", "give one model"};
  }
  if (options.models.size() > 1 && !options.times.empty()) {
    return {"--times are of one model, and several are given", "give one model"};
  }
  return {};
}

/// Without a model only tables that a trace fills by itself can be made.
Status choose_tables(const Given& given, BoundOptions* options) {
  std::vector<const BoundAnalysis*>& chosen = options->analyses;
  if (Status status = choose_bound_analyses(given.analyses, &chosen); !status.ok()) return status;
  options->all_analyses = given.analyses.empty();
  if (!options->models.empty() || options->trace.empty()) return {};
  const auto needs_model = [](const BoundAnalysis* analysis) { return analysis->needs_model; };
  const auto first = std::find_if(chosen.begin(), chosen.end(), needs_model);
  const bool is_named = first != chosen.end() && chosen.size() < bound_analyses().size();
  if (is_named) {
    return {fmt::format("{} needs a model, and only a trace is given", (*first)->definition->id),
            "for example: xsp-bound model.onnx --trace " + options->trace};
  }
  std::erase_if(chosen, needs_model);
  return {};
}

Status check(const Given& given, BoundOptions* options) {
  if (Status status = choose_tables(given, options); !status.ok()) return status;
  if (options->database.empty()) options->database = default_database();
  if (Status status = check_output(given, options); !status.ok()) return status;
  if (Status status = check_shapes(given, &options->shapes); !status.ok()) return status;
  if (Status status = check_measuring(given, options); !status.ok()) return status;
  if (Status status = check_purpose(*options); !status.ok()) return status;
  return check_files(*options);
}

}  // namespace

BoundRequest read_bound_options(int argc, char** argv, BoundOptions* options, std::string* text, Status* status) {
  CLI::App app("", "xsp-bound");
  Given given;
  declare(&app, options, &given);
  *status = parse_command_line(&app, {argv + std::min(argc, 1), argv + argc}, kSeeHelp);
  if (!status->ok()) return BoundRequest::kUsageError;
  if (given.help || given.version) {
    *text = given.help ? bound_help() : std::string("xsp-bound ") + XSP_VERSION + "\n";
    return BoundRequest::kPrint;
  }
  *status = check(given, options);
  return status->ok() ? BoundRequest::kRun : BoundRequest::kUsageError;
}

}  // namespace xsp::bound
