#include "import/cli/import_options.h"

#include <algorithm>
#include <cstdio>
#include <regex>

#include <CLI/CLI.hpp>

#include "base/command_line.h"
#include "base/same_file.h"
#include "base/similar_words.h"
#include "base/standard_output.h"
#include "base/text_encoding.h"
#include "import/cli/importers.h"

namespace xsp {
namespace {

constexpr int kUsage = 2;
constexpr int kNoOutput = 5;

constexpr const char* kHelp = R"(xsp-import: convert profiles of other tools into a trace that xsp-report reads

  xsp-import trace.json.gz                 converts a PyTorch profile to trace.pb
  xsp-import rank0.json rank1.json -o two.pb
                                           puts several processes into one trace
  xsp-import report.sqlite --model-span 'step'
                                           takes each range named step for a step of the model
  xsp-import profile.json && xsp-report profile.pb --html

usage: xsp-import [options] IN...

  IN is a profile, plain or compressed by gzip or zstd; - is standard input.

  -o, --output FILE        trace to write. Default: the first input's name with .pb, in this folder
  -f, --force              replace FILE if it exists
      --from FORMAT        format of the inputs. Default: auto, told from their content
      --layers WHAT        what counts as a layer: auto, module, op, library or nvtx:REGEX
      --model-span REGEX   spans whose whole name matches REGEX are calls of the model; iterations:
                           calls are what the GPU operations repeat in
      --strict             exit 4 if anything was left out
      --log-level LEVEL    log to standard error from this level on: trace, debug, info, warning,
                           error or off (default)
      --log-file FILE      log to FILE, which is rotated; --log-level is then info
  -q, --quiet              print warnings and errors only
  -h, --help               show this text
  -V, --version            show the version

)";

bool fail(const Status& status, int* exit_code) {
  std::fprintf(stderr, "xsp-import: error: %s\nhint: %s\n", message_text(status.error).c_str(),
               message_text(status.hint).c_str());
  *exit_code = status.exit_code != 0 ? status.exit_code : kUsage;
  return false;
}

/// Why a regular expression is invalid; empty: it is valid.
std::string regex_error(const std::string& text) {
  try {
    (void)std::regex(text, std::regex::ECMAScript);
    return {};
  } catch (const std::regex_error& error) {
    return error.what();
  }
}

std::string format_list() {
  std::string list = "Formats:\n";
  for (const Importer& importer : importers()) {
    std::string line = "  " + std::string(importer.name);
    line.resize(std::max<size_t>(line.size() + 2, 18), ' ');
    list += line + std::string(importer.description) + "\n";
  }
  return list;
}

/// Name of the output for an input: its base name without extensions, in the current folder.
std::string default_output(const std::string& input) {
  std::string name = input.substr(input.rfind('/') + 1);
  const size_t extensions = name.find('.', 1);
  if (extensions != std::string::npos) name.resize(extensions);
  return (name.empty() || name == "-" ? "xsp-import" : name) + ".pb";
}

/// An error for invalid options.
Status check_layers(const std::string& layers) {
  constexpr std::string_view kNvtx = "nvtx:";
  static const std::vector<std::string> kLayers = {"auto", "module", "op", "library"};
  if (layers.empty() || std::find(kLayers.begin(), kLayers.end(), layers) != kLayers.end()) return {};
  if (!layers.starts_with(kNvtx)) {
    return {"--layers: unknown value '" + layers + "'", choice_hint(layers, kLayers, "nvtx:REGEX")};
  }
  const std::string why = regex_error(layers.substr(kNvtx.size()));
  if (why.empty()) return {};
  return {"--layers " + layers + " has no regular expression (" + why + ")", "for example --layers 'nvtx:layer.*'"};
}

Status check_format(const std::string& format) {
  std::vector<std::string> names = {"auto"};
  for (const Importer& importer : importers()) names.emplace_back(importer.name);
  if (std::find(names.begin(), names.end(), format) != names.end()) return {};
  // Other names that people use for the tools that write these.
  static const std::pair<std::string_view, std::string_view> kOtherNames[] = {
      {"pytorch", "kineto"},        {"torch", "kineto"},    {"nsys", "nsight-systems"},
      {"nsight", "nsight-systems"}, {"ort", "onnxruntime"}, {"onnx", "onnxruntime"},
      {"tf", "tensorflow"},         {"jax", "xplane"},      {"opentelemetry", "otlp"},
  };
  std::string hint = choice_hint(format, names);
  for (const auto& [other, name] : kOtherNames) {
    if (format == other) hint = "did you mean " + std::string(name) + "? Known: auto, " + format_names();
  }
  return {"--from: unknown format '" + format + "'", hint};
}

Status check_output(const ImportOptions& options) {
  // Without -f an existing output is refused anyway.
  for (const std::string& input : options.force ? options.inputs : std::vector<std::string>()) {
    if (input == "-" || !is_same_file(input, options.output)) continue;
    return {"the trace would replace the profile " + input, "name another file: -o FILE"};
  }
  if (is_same_file(options.output, options.log_file)) {
    return {"-o and --log-file name the same file", "name another file for the log"};
  }
  return {};
}

Status check(ImportOptions* options) {
  if (options->inputs.empty()) return {"no profile given", "for example: xsp-import trace.json.gz"};
  if (std::count(options->inputs.begin(), options->inputs.end(), "-") > 1) {
    return {"standard input is named twice", "name it once"};
  }
  if (Status status = check_format(options->format); !status.ok()) return status;
  if (Status status = check_layers(options->choices.layers); !status.ok()) return status;
  const std::string why = regex_error(options->choices.model_span);
  if (!why.empty()) {
    return {"--model-span " + options->choices.model_span + " is no regular expression (" + why + ")",
            "for example --model-span 'ProfilerStep.*'"};
  }
  if (options->output.empty()) options->output = default_output(options->inputs.front());
  return check_output(*options);
}

}  // namespace

bool read_import_options(int argc, char** argv, ImportOptions* options, int* exit_code) {
  CLI::App app("", "xsp-import");
  bool help = false;
  bool version = false;
  app.set_help_flag();
  app.add_flag("-h,--help", help);
  app.add_flag("-V,--version", version);
  app.add_option("IN", options->inputs);
  app.add_option("-o,--output", options->output);
  app.add_flag("-f,--force", options->force);
  app.add_option("--from", options->format);
  app.add_option("--layers", options->choices.layers);
  app.add_option("--model-span", options->choices.model_span);
  app.add_flag("--strict", options->strict);
  app.add_flag("-q,--quiet", options->quiet);
  app.add_option("--log-level", options->log_level);
  app.add_option("--log-file", options->log_file);

  const Status parsed =
      parse_command_line(&app, {argv + std::min(argc, 1), argv + argc}, "xsp-import --help lists the options");
  if (!parsed.ok()) return fail(parsed, exit_code);
  if (help || version) {
    const std::string text =
        std::string(kHelp) + format_list() +
        "\nExit codes: 0 done, 2 wrong usage, 3 bad input, 4 something was left out (--strict), 5 cannot write.\n";
    Status printed = print_text(help ? text : "xsp-import " XSP_VERSION "\n");
    *exit_code = 0;
    printed.exit_code = kNoOutput;
    return printed.ok() ? false : fail(printed, exit_code);
  }
  const Status status = check(options);
  if (!status.ok()) return fail(status, exit_code);
  return true;
}

}  // namespace xsp
