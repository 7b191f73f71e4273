#include "analysis/report/path_names.h"

#include <algorithm>
#include <array>

namespace xsp::analysis {
namespace {

constexpr std::string_view kSeparators = "/\\";
/// A path in a sentence ends before these.
constexpr std::string_view kEnds = " \t\r\n\"'`<>|,;()[]{}";

constexpr auto kSystemFolders = std::to_array<std::string_view>(
    {"/home/", "/root/",      "/usr/",     "/opt/",     "/tmp/",    "/var/", "/mnt/",  "/media/", "/srv/",     "/etc/",
     "/proc/", "/dev/",       "/run/",     "/lib/",     "/lib64/",  "/bin/", "/sbin/", "/Users/", "/private/", "/data/",
     "/work/", "/workspace/", "/scratch/", "/content/", "/kaggle/", "/nfs/", "/gpfs/", "/lustre/"});

constexpr auto kFileEndings = std::to_array<std::string_view>(
    {"py",     "pyc",  "so",  "onnx", "ort",    "pt",     "pth",    "pb",       "pbtxt",       "json",
     "yaml",   "yml",  "txt", "log",  "c",      "cc",     "cpp",    "cu",       "h",           "bin",
     "engine", "plan", "trt", "h5",   "tflite", "csv",    "gguf",   "npz",      "npy",         "ckpt",
     "ini",    "toml", "cfg", "sh",   "exe",    "dll",    "gz",     "zip",      "tar",         "xml",
     "html",   "db",   "whl", "hpp",  "prof",   "params", "sqlite", "nsys-rep", "safetensors", "cuh"});

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// "C:\" or "C:/".
bool has_drive(std::string_view text) {
  return text.size() > 2 && is_letter(text[0]) && text[1] == ':' && kSeparators.find(text[2]) != std::string_view::npos;
}

/// "libx.so.9.1:42" too: what follows a file ending and a dot or colon is not part of the ending.
bool has_file_ending(std::string_view name) {
  for (size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
    const std::string_view rest = name.substr(dot + 1);
    const std::string_view ending = rest.substr(0, rest.find_first_of(".:"));
    if (std::find(kFileEndings.begin(), kFileEndings.end(), ending) != kFileEndings.end()) return true;
  }
  return false;
}

bool is_path(std::string_view token) {
  if (token.starts_with("./") || token.starts_with("../")) return true;
  // A root alone, or a single name under it, has no folder.
  if (is_rooted_path(token)) return token.find_first_of(kSeparators, 1) != std::string_view::npos;
  return token.find_first_of(kSeparators) != std::string_view::npos && has_file_ending(base_name(token));
}

/// The length of what may be a path at the begin of `text`; behind a quote that is all up to the next one.
size_t token_length(std::string_view text, char before) {
  if (before == '"' || before == '\'' || before == '`') {
    const size_t quote = text.find(before);
    if (quote != std::string_view::npos && is_rooted_path(text.substr(0, quote))) return quote;
  }
  return std::min(text.find_first_of(kEnds), text.size());
}

/// "--model=/home/me/x" and "at:/home/me/x" have a path after their first part.
size_t prefix_length(std::string_view token) {
  if (is_rooted_path(token)) return 0;
  for (const char mark : {'=', ':', '@'}) {
    const size_t at = token.find(mark);
    if (at != std::string_view::npos && is_rooted_path(token.substr(at + 1))) return at + 1;
  }
  return 0;
}

}  // namespace

std::string base_name(std::string_view path) {
  while (path.size() > 1 && kSeparators.find(path.back()) != std::string_view::npos) path.remove_suffix(1);
  const size_t end = path.find_last_of(kSeparators);
  return std::string(end == std::string_view::npos || path.size() == 1 ? path : path.substr(end + 1));
}

bool is_rooted_path(std::string_view text) {
  return text.starts_with('/') || text.starts_with('~') || text.starts_with("\\\\") || text.starts_with("file://") ||
         has_drive(text);
}

bool is_in_system_folder(std::string_view text) {
  return std::any_of(kSystemFolders.begin(), kSystemFolders.end(),
                     [&](std::string_view folder) { return text.starts_with(folder); }) ||
         text.starts_with("~/") || text.starts_with("file://") || has_drive(text);
}

std::string without_folders(std::string_view text) {
  std::string result;
  char before = '\0';
  while (!text.empty()) {
    const size_t length = token_length(text, before);
    std::string_view token = text.substr(0, length);
    const size_t prefix = prefix_length(token);
    result.append(token.substr(0, prefix));
    token.remove_prefix(prefix);
    if (is_path(token)) {
      result += base_name(token);
    } else {
      result.append(token);
    }
    if (length == text.size()) break;
    before = text[length];
    result.push_back(before);
    text.remove_prefix(length + 1);
  }
  return result;
}

}  // namespace xsp::analysis
