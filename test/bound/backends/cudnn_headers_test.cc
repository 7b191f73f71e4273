#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "bound/backends/cudnn_values.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

using Numbers = std::map<std::string, int>;

std::string text_of_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// "CUDNN_NAME = 5," of enumerations, whatever stands between the name and its number.
void read_numbers(const std::string& text, Numbers* numbers) {
  static const std::regex kEnumerator("\\b(CUDNN_\\w+)(?:\\s+CUDNN_\\w+)?\\s*=\\s*(-?\\d+)\\b");
  for (std::sregex_iterator found(text.begin(), text.end(), kEnumerator), end; found != end; ++found) {
    numbers->emplace((*found)[1], std::stoi((*found)[2]));
  }
}

/// The folder of the sources: that of this test, or the one that the environment names.
std::filesystem::path sources() {
  if (const char* const root = getenv("XSP_SOURCE_ROOT")) return root;
  return std::filesystem::path(__FILE__).parent_path() / "../../..";
}

/// Folders with cuDNN's headers: the toolkit's, those of Python wheels below the build folder, and $XSP_HEADERS.
std::vector<std::filesystem::path> header_folders() {
  std::vector<std::filesystem::path> candidates{"/usr/local/cuda/include", "/usr/include", "/usr/local/include"};
  if (const char* const home = getenv("CUDA_HOME")) candidates.emplace_back(std::filesystem::path(home) / "include");
  std::istringstream more(getenv("XSP_HEADERS") == nullptr ? "" : getenv("XSP_HEADERS"));
  for (std::string folder; std::getline(more, folder, ':');) candidates.emplace_back(folder);
  std::error_code error;
  const auto python = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../../python";
  for (const auto& environment : std::filesystem::directory_iterator(python, error)) {
    for (const auto& version : std::filesystem::directory_iterator(environment.path() / "lib", error)) {
      candidates.push_back(version.path() / "site-packages/nvidia/cudnn/include");
    }
  }
  std::erase_if(candidates, [&](const auto& folder) {
    return !std::filesystem::exists(folder / "cudnn_ops.h", error) &&
           !std::filesystem::exists(folder / "cudnn_ops_infer.h", error);
  });
  return candidates;
}

}  // namespace

TEST_CASE("numbers of cuDNN are those of every installed header that has their names") {
  Numbers ours;
  read_numbers(text_of_file(sources() / "bound/backends/cudnn_values.h"), &ours);
  REQUIRE(ours.size() > 200);
  REQUIRE(ours.at("CUDNN_ATTR_ENGINEHEUR_RESULTS") == cudnn::CUDNN_ATTR_ENGINEHEUR_RESULTS);
  const auto folders = header_folders();
  if (folders.empty()) WARN("skipped: no headers of cuDNN are here");
  for (const auto& folder : folders) {
    Numbers theirs;
    for (const char* const file :
         {"cudnn_graph.h", "cudnn_ops.h", "cudnn_cnn.h", "cudnn_backend.h", "cudnn_ops_infer.h", "cudnn_cnn_infer.h"}) {
      read_numbers(text_of_file(folder / file), &theirs);
    }
    size_t compared = 0;
    for (const auto& [name, number] : ours) {
      const auto found = theirs.find(name);
      if (found == theirs.end()) continue;
      INFO(folder.string() << ": " << name);
      CHECK(found->second == number);
      ++compared;
    }
    INFO(folder.string());
    CHECK(compared > ours.size() * 3 / 4);  // versions differ in what they have
  }
}

}  // namespace xsp::bound
