#include "base/file_kind.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/shell_words.h"

namespace xsp {
namespace {

using namespace std::string_view_literals;

enum class Use {
  kNone,
  kImport,
  kUnpack,
  kNsightSystems,
  kRecordInstead,
  kRecordItsUser,
  kBrowser,
  kConvertText,
  kPerfetto
};

struct ByName {
  std::string_view extension;
  const char* name;
  Use use;
};

constexpr std::array kByName = {
    ByName{".nsys-rep", "an Nsight Systems report", Use::kNsightSystems},
    ByName{".qdrep", "an Nsight Systems report", Use::kNsightSystems},
    ByName{".ncu-rep", "an Nsight Compute report", Use::kRecordInstead},
    ByName{".xplane.pb", "a TensorFlow or JAX profile", Use::kImport},
    ByName{".pprof", "a pprof profile", Use::kRecordInstead},
    ByName{".onnx", "an ONNX model", Use::kRecordItsUser},
    ByName{".pt", "a PyTorch model", Use::kRecordItsUser},
    ByName{".pth", "a PyTorch model", Use::kRecordItsUser},
    ByName{".safetensors", "a model's weights", Use::kRecordItsUser},
    ByName{".h5", "a Keras model", Use::kRecordItsUser},
    ByName{".pftrace", "a Perfetto trace", Use::kPerfetto},
    ByName{".perfetto", "a Perfetto trace", Use::kPerfetto},
    ByName{".perfetto-trace", "a Perfetto trace", Use::kPerfetto},
};

struct ByBytes {
  size_t at;
  std::string_view bytes;
  const char* name;
  Use use;
};

constexpr std::array kByBytes = {
    ByBytes{0, "\x1f\x8b"sv, "a gzip file", Use::kImport},
    ByBytes{0, "\x28\xb5\x2f\xfd"sv, "a zstd file", Use::kImport},
    ByBytes{0, "SQLite format 3\0"sv, "an SQLite database", Use::kImport},
    ByBytes{0, "BZh"sv, "a bzip2 file", Use::kUnpack},
    ByBytes{0,
            "\xfd"
            "7zXZ"sv,
            "an xz file", Use::kUnpack},
    ByBytes{0, "PK\x03\x04"sv, "a zip archive", Use::kUnpack},
    ByBytes{257, "ustar"sv, "a tar archive", Use::kUnpack},
    ByBytes{0, "\xff\xfe"sv, "text in UTF-16", Use::kConvertText},
    ByBytes{0, "\xfe\xff"sv, "text in UTF-16", Use::kConvertText},
    ByBytes{0, "PERFILE2"sv, "a recording of perf", Use::kRecordInstead},
    ByBytes{0, "\x89PNG"sv, "a PNG image", Use::kNone},
    ByBytes{0, "\xff\xd8\xff"sv, "a JPEG image", Use::kNone},
    ByBytes{0, "%PDF"sv, "a PDF document", Use::kNone},
    ByBytes{0, "PAR1"sv, "a Parquet file", Use::kNone},
    ByBytes{0, "NVTX"sv, "an NVTX file", Use::kNone},
    ByBytes{0, "<!doctype html"sv, "a web page", Use::kBrowser},
    ByBytes{0, "<!DOCTYPE html"sv, "a web page", Use::kBrowser},
    ByBytes{0, "<html"sv, "a web page", Use::kBrowser},
};

std::string unpacking(const std::string& path, std::string_view name) {
  if (name == "a zip archive") return "unpack it first: " + shell_command({"unzip", path});
  if (name == "a tar archive") return "unpack it first: " + shell_command({"tar", "-xf", path});
  return "unpack it first: " + shell_command({name == "an xz file" ? "xz" : "bzip2", "-dk", path});
}

std::string exported_name(const std::string& path) { return path.substr(0, path.rfind('.')) + ".sqlite"; }

FileKind kind_of(const std::string& path, const char* name, Use use) {
  switch (use) {
    case Use::kImport:
      return {name, shell_command({"xsp-import", path}), true};
    case Use::kUnpack:
      return {name, unpacking(path, name)};
    case Use::kNsightSystems: {
      const std::string database = exported_name(path);
      return {name, shell_command({"nsys", "export", "--type", "sqlite", "-o", database, path}) + " && " +
                        shell_command({"xsp-import", database})};
    }
    case Use::kRecordInstead:
      return {name, "XSP cannot read these; record the program with XSP: xsp-run -- COMMAND"};
    case Use::kRecordItsUser:
      return {name, "record the program that uses it: xsp-run -- COMMAND"};
    case Use::kBrowser:
      return {name, "open it in a browser: " + shell_command({"xdg-open", path})};
    case Use::kConvertText:
      return {name, "convert it first: " + shell_command({"iconv", "-f", "UTF-16", "-t", "UTF-8", path}) + " > FILE"};
    case Use::kPerfetto:
      return {name, "open it in https://ui.perfetto.dev"};
    case Use::kNone:
      break;
  }
  return {name, {}};
}

FileKind program(const char* name, std::vector<std::string> words) {
  words.insert(words.begin(), {"xsp-run", "--"});
  return {name, shell_command(words), false, true};
}

/// The path as a command: with "./" for a file in the current folder.
std::string as_command(const std::string& path) { return path.find('/') == std::string::npos ? "./" + path : path; }

bool is_text(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) return true;
  return !head.empty() && std::all_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || std::isprint(byte) != 0 || std::isspace(byte) != 0;
  });
}

FileKind kind_of_text(const std::string& path, std::string_view head) {
  const size_t first = head.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first != std::string_view::npos && (head[first] == '{' || head[first] == '[')) {
    return {"JSON", shell_command({"xsp-import", path}), true};
  }
  if (path.ends_with(".py")) return program("a Python script", {"python3", path});
  if (path.ends_with(".sh")) return program("a shell script", {"bash", path});
  if (head.starts_with("#!")) return program("a script", {as_command(path)});
  if (head.starts_with("==") || path.ends_with(".csv")) return {"text", shell_command({"xsp-import", path}), true};
  return {"text", {}};
}

}  // namespace

FileKind file_kind(const std::string& path, std::string_view head) {
  // The first packet of a trace names the program that wrote it.
  if (head.starts_with('\n') && head.substr(0, 32).find("xsp-") != std::string_view::npos) {
    return {"an XSP trace", shell_command({"xsp-report", path}), false, false, true};
  }
  for (const ByName& kind : kByName) {
    if (path.ends_with(kind.extension)) return kind_of(path, kind.name, kind.use);
  }
  for (const ByBytes& kind : kByBytes) {
    if (head.size() >= kind.at && head.substr(kind.at).starts_with(kind.bytes)) {
      return kind_of(path, kind.name, kind.use);
    }
  }
  if (head.starts_with("\x7f"
                       "ELF"))
    return program("a program", {as_command(path)});
  // Protocols 2 to 5 of pickle.
  if (head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5) return {"a Python pickle", {}};
  if (is_text(head)) return kind_of_text(path, head);
  return {};
}

}  // namespace xsp
