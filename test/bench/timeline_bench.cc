/// The data of the page's timeline of traces that are given: how long it takes, and its size.
///
///     timeline_bench [--write FOLDER] TRACE...

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "analysis/lanes/timeline_data.h"
#include "analysis/trace/loader.h"

namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double peak_mib() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--write") == 0 && i + 1 < argc) {
      folder = argv[++i];
      continue;
    }
    const std::string path = argv[i];
    xsp::analysis::AnalysedTrace analysed;
    if (!xsp::analysis::load_path(path, &analysed.trace).ok()) return 1;
    if (!xsp::analysis::analyse({}, {}, &analysed).ok()) return 1;
    const double peak_before = peak_mib();
    const double start = seconds();
    const std::string json = xsp::analysis::timeline_json(analysed);
    const double first = seconds() - start;
    std::printf("%s: %zu spans, %.0f ms, %.2f MB, peak %.0f MiB (%.0f before)\n", path.c_str(),
                analysed.trace.spans.size(), first * 1e3, static_cast<double>(json.size()) / 1e6, peak_mib(),
                peak_before);
    if (folder.empty()) continue;
    std::string name = path.substr(path.find_last_not_of('/') == std::string::npos ? 0 : path.rfind('/') + 1);
    std::ofstream(folder + "/" + name + ".json") << json;
  }
  return 0;
}
