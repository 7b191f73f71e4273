#include "bound/backends/python_folders.h"

#include <fnmatch.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/program_lookup.h"

namespace xsp::bound {
namespace {

namespace fs = std::filesystem;

std::string environment_value(const char* name) {
  const char* const value = getenv(name);
  return value == nullptr ? "" : value;
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

/// "home" of "home = /usr/bin"; empty: no such file or line.
std::string setting_of(const fs::path& file, std::string_view name) {
  std::ifstream lines(file);
  std::string line;
  while (std::getline(lines, line)) {
    const size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    const auto stripped = [](std::string text) {
      text.erase(0, text.find_first_not_of(" \t"));
      text.erase(text.find_last_not_of(" \t\r") + 1);
      return text;
    };
    if (stripped(line.substr(0, equals)) == name) return stripped(line.substr(equals + 1));
  }
  return "";
}

class FolderList {
 public:
  void add(const fs::path& folder) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (error || !is_folder(real) || std::find(seen_.begin(), seen_.end(), real) != seen_.end()) return;
    seen_.push_back(real);
    folders_.push_back(folder.lexically_normal().string());
  }
  std::vector<std::string> take() { return std::move(folders_); }

 private:
  std::vector<fs::path> seen_;
  std::vector<std::string> folders_;
};

/// Folders of packages under lib and lib64 of where a Python is installed. `version`: "python3.11"; empty: each that is
/// there, the newest first.
void add_prefix(const fs::path& prefix, const std::string& version, FolderList* folders) {
  for (const char* library : {"lib", "lib64"}) {
    std::vector<std::string> versions;
    if (!version.empty()) {
      versions.push_back(version);
    } else {
      std::error_code error;
      for (fs::directory_iterator entry(prefix / library, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (name.starts_with("python3.")) versions.push_back(name);
      }
      std::sort(versions.begin(), versions.end(), [](const std::string& left, const std::string& right) {
        return left.size() != right.size() ? left.size() > right.size() : left > right;
      });
    }
    for (const std::string& name : versions) {
      for (const char* packages : {"site-packages", "dist-packages"}) folders->add(prefix / library / name / packages);
    }
    // Debian's own packages are those of every version.
    folders->add(prefix / library / "python3" / "dist-packages");
  }
}

/// Of the interpreter at this path, without links.
void add_interpreter(const fs::path& interpreter, FolderList* folders) {
  const fs::path prefix = interpreter.parent_path().parent_path();
  const std::string name = interpreter.filename().string();
  const std::string version = name.starts_with("python3.") ? name : "";
  if (const std::string home = environment_value("HOME"); !home.empty() && !version.empty()) {
    folders->add(fs::path(home) / ".local" / "lib" / version / "site-packages");
  }
  if (prefix == "/usr") add_prefix("/usr/local", version, folders);
  add_prefix(prefix, version, folders);
}

/// Of a virtual environment, and of the Python that it was made from where it sees its packages.
void add_environment(const fs::path& prefix, FolderList* folders) {
  add_prefix(prefix, "", folders);
  const fs::path settings = prefix / "pyvenv.cfg";
  if (setting_of(settings, "include-system-site-packages") != "true") return;
  std::error_code error;
  const fs::path real = fs::canonical(prefix / "bin" / "python3", error);
  if (!error) add_interpreter(real, folders);
}

/// The version that pyenv's shims lead to; empty: these are none.
fs::path behind_shim(const fs::path& program) {
  const fs::path root = program.parent_path().parent_path();
  if (program.parent_path().filename() != "shims" || !is_folder(root / "versions")) return {};
  std::string version = environment_value("PYENV_VERSION");
  if (version.empty()) std::getline(std::ifstream(root / "version") >> std::ws, version);
  version = version.substr(0, version.find_first_of(": \t\r"));
  return version.empty() ? fs::path() : root / "versions" / version / "bin" / "python3";
}

void add_python_of_path(FolderList* folders) {
  std::string found = find_program("python3");
  if (found.empty()) found = find_program("python");
  if (found.empty()) return;
  fs::path program = found;
  if (const fs::path version = behind_shim(program); !version.empty()) program = version;
  std::error_code error;
  const fs::path prefix = program.parent_path().parent_path();
  if (fs::exists(prefix / "pyvenv.cfg", error)) return add_environment(prefix, folders);
  const fs::path real = fs::canonical(program, error);
  if (!error) add_interpreter(real, folders);
}

}  // namespace

std::vector<std::string> python_folders() {
  FolderList folders;
  const std::string extra = environment_value("PYTHONPATH");
  for (size_t begin = 0; begin < extra.size();) {
    const size_t end = std::min(extra.find(':', begin), extra.size());
    if (end > begin) folders.add(extra.substr(begin, end - begin));
    begin = end + 1;
  }
  if (const std::string prefix = environment_value("VIRTUAL_ENV"); !prefix.empty()) add_environment(prefix, &folders);
  if (const std::string prefix = environment_value("CONDA_PREFIX"); !prefix.empty()) add_environment(prefix, &folders);
  add_python_of_path(&folders);
  return folders.take();
}

std::vector<std::string> python_library_folders() {
  FolderList folders;
  for (const std::string& packages : python_folders()) {
    const fs::path library = fs::path(packages).parent_path().parent_path();
    if (library.filename() == "lib" || library.filename() == "lib64") folders.add(library);
  }
  return folders.take();
}

std::vector<std::string> files_like(const std::string& folder, const std::string& pattern) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) files.push_back(entry->path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace xsp::bound
