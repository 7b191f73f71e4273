/// xsp-import: turns profiles of other tools into a trace (doc/import.md).

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/file_kind.h"
#include "base/log.h"
#include "base/output_target.h"
#include "base/same_file.h"
#include "base/shell_words.h"
#include "base/text_encoding.h"
#include "collector/writing/output_file.h"
#include "import/cli/import_options.h"
#include "import/cli/import_progress.h"
#include "import/cli/importers.h"
#include "import/writing/timeline_writer.h"

namespace xsp {
namespace {

enum ExitCode { kDone = 0, kWrongUsage = 2, kBadInput = 3, kLeftOut = 4, kCannotWrite = 5 };

/// One segment of a file that has others before it.
class SegmentFile : public OutputFile {
 public:
  SegmentFile(OutputFile& file, uint64_t begin) : file_(file), begin_(begin) {}
  ssize_t write(const void* data, size_t size) override { return file_.write(data, size); }
  int truncate(uint64_t size) override { return file_.truncate(begin_ + size); }
  Status publish() override { return Status(); }

 private:
  OutputFile& file_;
  uint64_t begin_;
};

int complain(const std::string& what, const std::string& hint, ExitCode code) {
  std::fprintf(stderr, "xsp-import: error: %s\nhint: %s\n", message_text(what).c_str(), message_text(hint).c_str());
  log::error(what);
  return code;
}

/// "4,112"
std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

/// The formats that were read, and from where.
struct Sources {
  std::string text;
  void add(std::string_view format, const std::string& path) {
    if (!text.empty()) text += ", ";
    text.append(format).append(" (").append(path, path.rfind('/') + 1).append(")");
  }
};

/// The outcome for all inputs.
struct Result {
  ImportTotals totals;
  uint64_t bytes = 0;
  bool left_out = false;
  Sources sources;
};

const Importer* choose_importer(const ImportOptions& options, ProfileInput& input, Status* why) {
  if (options.format == "auto") return recognise_format(input, why);
  for (const Importer& importer : importers()) {
    if (importer.name == options.format) return &importer;
  }
  return nullptr;
}

/// Reports what could not be imported. Returns whether there was anything.
bool tell_notes(const ProfileTimeline& timeline, const std::string& path) {
  bool left_out = false;
  for (const auto& [what, count] : timeline.notes()) {
    if (count == 0) continue;
    left_out = true;
    std::fprintf(stderr, "xsp-import: warning: %s: %s: %s\n", message_text(path).c_str(), message_text(what).c_str(),
                 grouped(count).c_str());
    log::warning(path + ": " + what + ": " + grouped(count));
  }
  return left_out;
}

/// What to do about an input that cannot be opened or read.
std::string open_hint(const std::string& path) {
  std::error_code failure;
  if (path.empty()) return "name a file, for example: xsp-import trace.json.gz";
  if (std::filesystem::is_directory(path, failure)) return "name the profiles in it: " + path + "/FILE";
  for (const Importer& importer : importers()) {
    if (path == importer.name) return "to choose this format: --from " + path;
  }
  if (path == "help" || path == "version") return "did you mean xsp-import --" + path + "?";
  return std::filesystem::exists(path, failure) ? "check its permissions: " + shell_command({"ls", "-l", path})
                                                : "check the name: there is no such file";
}

std::string hint_for_output(const ImportOptions& options) {
  for (const std::string& input : options.inputs) {
    if (input == "-" || !is_same_file(input, options.output)) continue;
    std::string head(kFileKindBytes, '\0');
    std::ifstream file(input, std::ios::binary);
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    const FileKind kind = file_kind(input, head);
    return kind.name == "an XSP trace" ? "it is an XSP trace already: " + kind.hint
                                       : "it is also an input; name another file: -o FILE";
  }
  return output_hint(options.output, true);
}

std::string wrong_format_hint(const ImportOptions& options, const std::string& path) {
  if (options.format != "auto") return "leave --from away: the format is then told from the content";
  return "if " + path + " has another format, name it: --from FORMAT, one of " + format_names();
}

int import_input(const std::string& path, const ImportOptions& options, OutputFile& file, Result* result) {
  ImportProgressLine progress(path, options.quiet);
  std::unique_ptr<ProfileInput> input;
  Status status = open_profile_input(
      path, [&](uint64_t read, uint64_t size) { progress.update(read, size); }, &input);
  if (!status.ok()) return complain(status.error, open_hint(path), kBadInput);
  Status why;
  const Importer* importer = choose_importer(options, *input, &why);
  if (importer == nullptr) {
    progress.clear();
    const Status error = input->error();
    if (!error.ok()) why = {path + ": " + error.error, open_hint(path)};
    return complain(why.error, why.hint, kBadInput);
  }

  if (log::writes(log::Level::kInfo)) log::info(path + " is read as " + std::string(importer->name));

  ProfileTimeline timeline;
  status = importer->read(*input, &timeline);
  progress.clear();
  if (status.exit_code != 0) return complain(status.error, status.hint, static_cast<ExitCode>(status.exit_code));
  if (!status.ok()) {
    return complain(path + ": " + status.error + " (read as " + std::string(importer->name) + ")",
                    wrong_format_hint(options, path), kBadInput);
  }
  SegmentFile segment(file, result->bytes);
  TraceWriter writer(segment);
  const ImportTotals totals = write_timeline(&timeline, importer->name, {path}, options.choices, writer);
  writer.flush();
  if (writer.failed()) {
    return complain("cannot write " + options.output + " (" + std::strerror(writer.error()) + ")",
                    "name a file on another disk: -o FILE", kCannotWrite);
  }
  result->bytes += writer.bytes();
  result->totals.spans += totals.spans;
  result->totals.executions += totals.executions;
  result->totals.without_launch += totals.without_launch;
  result->left_out |= tell_notes(timeline, path);
  result->sources.add(importer->name, path);
  return kDone;
}

}  // namespace

int import_main(int argc, char** argv) {
  ImportOptions options;
  int exit_code = 0;
  if (!read_import_options(argc, argv, &options, &exit_code)) return exit_code;
  Status status = log::configure("xsp-import", options.log_level, options.log_file);
  if (!status.ok()) return complain(status.error, status.hint, kWrongUsage);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);

  std::unique_ptr<OutputFile> file;
  status = create_output_file(options.output, options.force, &file);
  if (!status.ok()) return complain(status.error, hint_for_output(options), kCannotWrite);
  Result result;
  for (const std::string& path : options.inputs) {
    exit_code = import_input(path, options, *file, &result);
    if (exit_code == kDone) continue;
    // An incomplete trace is not kept: its inputs still exist.
    (void)file->truncate(0);
    return exit_code;
  }
  status = file->publish();
  if (!status.ok()) return complain(status.error, hint_for_output(options), kCannotWrite);
  if (log::writes(log::Level::kInfo)) {
    log::info("wrote " + options.output + ": " + grouped(result.totals.spans) + " spans, " +
              grouped(result.totals.executions) + " executions");
  }
  if (!options.quiet) {
    std::fprintf(stderr, "xsp-import: %s: %s spans, %s executions, from %s; next: xsp-report %s\n",
                 message_text(options.output).c_str(), grouped(result.totals.spans).c_str(),
                 grouped(result.totals.executions).c_str(), message_text(result.sources.text).c_str(),
                 message_text(options.output).c_str());
  }
  return options.strict && result.left_out ? kLeftOut : kDone;
}

}  // namespace xsp

int main(int argc, char** argv) { return xsp::import_main(argc, argv); }
