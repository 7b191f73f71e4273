#include "analysis/export/parquet_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "analysis/export/parquet_rows.h"
#include "analysis/export/python_child.h"
#include "base/output_target.h"
#include "base/shell_words.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScript =
#include "parquet_writer.inc"
    ;

/// The interpreter of a profiled process, which may have Arrow where python3 of PATH has not. It is only named to the
/// user: no program is run because a trace says so.
std::string python_of(const Trace& trace) {
  for (const Process& process : trace.processes) {
    const fs::path path(process.executable);
    if (path.is_absolute() && path.filename().string().starts_with("python")) return path.string();
  }
  return "/path/to/python3";
}

Status start_python(const Trace& trace, PythonChild* child) {
  const std::string python = chosen_python();
  if (child->start(python, kScript)) return {};
  const std::string why = child->complaint().empty() ? "cannot be started" : child->complaint();
  return {"cannot write Parquet without pyarrow (" + python + ": " + why + ")",
          "pip install pyarrow, and name the Python that has it: XSP_PYTHON=" + shell_command({python_of(trace)})};
}

std::string header_line(const ParquetRows& rows, const std::string& target, bool partitioned) {
  nlohmann::json header;
  header["target"] = target;
  header["partitioned"] = partitioned;
  header["metadata"] = {{"producer", "xsp-report " XSP_VERSION},
                        {"layout_version", "1"},
                        {"clock", rows.is_realtime() ? "CLOCK_REALTIME" : "CLOCK_MONOTONIC"}};
  for (const ParquetColumnReference& column : parquet_columns()) {
    std::string meaning(column.meaning);
    if (!column.unit.empty()) meaning += " (" + std::string(column.unit) + ")";
    header["columns"].push_back({{"name", column.name}, {"type", type_name(column.type)}, {"meaning", meaning}});
  }
  return header.dump() + "\n";
}

bool send_part(const ParquetRows& rows, PythonChild* child) {
  std::vector<std::string_view> buffers;
  for (const ParquetColumn& column : rows.columns()) {
    for (const std::string_view buffer : column.buffers()) buffers.push_back(buffer);
  }
  nlohmann::json part = {{"rows", rows.rows()}, {"partition", {{"run", rows.run()}, {"process", rows.process() + 1}}}};
  for (const std::string_view buffer : buffers) part["buffers"].push_back(buffer.size());
  bool taken = child->write(part.dump() + "\n");
  for (const std::string_view buffer : buffers) taken = taken && child->write(buffer);
  return taken;
}

Status write_rows(const ExportInput& input, const std::string& target, bool partitioned, PythonChild* child) {
  ParquetRows rows(input);
  uint64_t sent = 0;
  bool taken = child->write(header_line(rows, target, partitioned));
  while (taken && rows.next()) {
    taken = send_part(rows, child);
    sent += rows.rows();
  }
  if (taken) child->write("end\n");
  if (child->finish() == "written " + std::to_string(sent) && taken) return {};
  const std::string why = child->complaint().empty() ? "Python ended early" : child->complaint();
  return {"cannot write Parquet (" + why + ")", ""};
}

/// An empty file of ours, before Arrow opens it: it would follow a link that others left there.
bool make_anew(const std::string& file) {
  unlink(file.c_str());
  const int made = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (made >= 0) close(made);
  return made >= 0;
}

Status no_target(const std::string& path, const std::string& why, const char* hint) {
  return {"cannot write " + path + " (" + why + ")", hint};
}

}  // namespace

Status write_parquet(const ExportInput& input, const std::string& path) {
  if (path == "-") return no_target("standard output", "Parquet is no stream", "--export parquet=FILE");
  std::error_code error;
  const bool partitioned = path.ends_with('/') || fs::is_directory(path, error);
  if (!partitioned && fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    return no_target(path, "it is no regular file", "--export parquet=FILE");
  }
  std::string target = path;
  while (target.size() > 1 && target.back() == '/') target.pop_back();
  if (!partitioned) {
    OutputTarget file;
    if (Status status = find_output_target(path, &file); !status.ok()) return status;
    target = file.path;
  }
  if (partitioned && fs::exists(target, error) && !fs::is_empty(target, error)) {
    return no_target(path, "the folder is not empty", "files of two exports in it would be read as one: name another");
  }
  if (valid_utf8(target) != target) return no_target(path, "the path is not UTF-8", "");

  PythonChild child;
  if (Status status = start_python(input.analysed.trace, &child); !status.ok()) return status;
  // Never a folder that somebody else may have created.
  std::string partial = fs::absolute(target).string() + (partitioned ? ".partial-XXXXXX" : ".partial");
  if (partitioned && mkdtemp(partial.data()) == nullptr) return no_target(path, std::strerror(errno), "");
  if (!partitioned && !make_anew(partial)) return no_target(path, std::strerror(errno), "");
  if (partitioned) {
    // mkdtemp() creates it for the user alone.
    const mode_t mask = umask(0);
    umask(mask);
    chmod(partial.c_str(), 0777 & ~mask);
  }
  Status status = write_rows(input, partial, partitioned, &child);
  if (status.ok()) {
    fs::rename(partial, target, error);
    if (error) status = no_target(path, error.message(), "");
  }
  if (!status.ok()) fs::remove_all(partial, error);
  return status;
}

}  // namespace xsp::analysis
