#include "import/cli/import_options.h"

#include <algorithm>
#include <cstdio>
#include <regex>

#include <CLI/CLI.hpp>

#include "base/same_file.h"
#include "base/text_encoding.h"
#include "import/cli/importers.h"

namespace xsp {
namespace {

constexpr int kUsage = 2;

constexpr const char* kHelp = R"(xsp-import: turn profiles of other tools into a trace that xsp-report reads

  xsp-import trace.json.gz                 PyTorch's profile, as trace.pb
  xsp-import rank0.json rank1.json -o two.pb
                                           several processes in one trace
  xsp-import report.sqlite --model-span 'step'
                                           a range is the evaluation of the model
  xsp-import profile.json && xsp-report profile.pb --html

usage: xsp-import [options] IN...

  IN is a profile, plain, gzip or zstd; - is standard input; one segment of the trace each.

  -o, --output FILE        trace file. Default: the first input's name with .pb, in this folder
  -f, --force              overwrite the trace file
      --from FORMAT        format of the inputs. Default: auto, told from their content
      --layers WHAT        what the report takes for layers: auto, module, op, library or nvtx:REGEX
      --model-span REGEX   spans with such names are calls of the model; iterations: what the
                           operations of the device repeat in
      --strict             exit code 4 when anything was left out
      --log-level LEVEL    log what is at least this to standard error: trace, debug, info, warning,
                           error or off (default)
      --log-file FILE      log to this file, which is rotated; --log-level is info then
  -q, --quiet              say nothing but warnings and errors
  -h, --help               this text
  -V, --version            the version

)";

bool fail(const std::string& what, int* exit_code) {
  std::fprintf(stderr, "xsp-import: error: %s\nhint: xsp-import --help shows the options\n",
               message_text(what).c_str());
  *exit_code = kUsage;
  return false;
}

/// Why a regular expression is none; empty: it is one.
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

bool check_layers(const std::string& layers, int* exit_code) {
  constexpr std::string_view kNvtx = "nvtx:";
  for (const char* known : {"", "auto", "module", "op", "library"}) {
    if (layers == known) return true;
  }
  if (!layers.starts_with(kNvtx)) {
    return fail("--layers " + layers + " is unknown (auto, module, op, library or nvtx:REGEX)", exit_code);
  }
  const std::string why = regex_error(layers.substr(kNvtx.size()));
  return why.empty() || fail("--layers " + layers + " has no regular expression (" + why + ")", exit_code);
}

bool check_format(const std::string& format, int* exit_code) {
  if (format == "auto") return true;
  const auto all = importers();
  if (std::any_of(all.begin(), all.end(), [&](const Importer& importer) { return importer.name == format; })) {
    return true;
  }
  std::string names;
  for (const Importer& importer : all) names += ", " + std::string(importer.name);
  return fail("--from " + format + " is unknown (auto" + names + ")", exit_code);
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

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return fail(error.what(), exit_code);
  }
  if (help || version) {
    const std::string text =
        std::string(kHelp) + format_list() +
        "\nExit codes: 0 done, 2 wrong usage, 3 bad input, 4 something was left out (--strict), 5 cannot write.\n";
    std::fputs(help ? text.c_str() : "xsp-import " XSP_VERSION "\n", stdout);
    *exit_code = 0;
    return false;
  }
  if (options->inputs.empty()) return fail("IN is required", exit_code);
  if (std::count(options->inputs.begin(), options->inputs.end(), "-") > 1) {
    return fail("standard input was named twice", exit_code);
  }
  if (!check_format(options->format, exit_code) || !check_layers(options->choices.layers, exit_code)) return false;
  const std::string why = regex_error(options->choices.model_span);
  if (!why.empty()) {
    return fail("--model-span " + options->choices.model_span + " is no regular expression (" + why + ")", exit_code);
  }
  if (options->output.empty()) options->output = default_output(options->inputs.front());
  if (is_same_file(options->output, options->log_file)) return fail("-o and --log-file name the same file", exit_code);
  return true;
}

}  // namespace xsp
