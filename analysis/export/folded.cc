#include <fmt/format.h>

#include <map>

#include "analysis/export/kernel_formats.h"
#include "analysis/export/kernel_stacks.h"
#include "analysis/tables/kernel_tables.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

/// Replaces what ends a frame or a line, and what would control the terminal that shows the lines.
std::string plain(std::string frame) {
  for (char& byte : frame) {
    if (byte == ';') byte = ',';
    if (static_cast<unsigned char>(byte) < ' ' || byte == 0x7f) byte = ' ';
  }
  return printable(frame);
}

}  // namespace

Status write_folded(const ExportInput& input, ByteSink* sink) {
  const Study& study = *input.analysed.study;
  const bool of_kernels = has_kernels(study.trace);
  StackFrames frames(study);
  for (const ModelStacks& model : kernel_stacks(study)) {
    std::map<std::string, double> lines;
    RoundedSum sum;
    for (const StackSample& sample : model.samples) {
      if (of_kernels == (sample.kernel == 0)) continue;
      std::string line;
      for (const std::string& frame : frames.of(model, sample, true)) {
        if (!line.empty()) line += ';';
        line += plain(frame);
      }
      lines[line] += of_kernels ? sample.gpu_ns : sample.layer_ns;
    }
    for (const auto& [line, ns] : lines) {
      const int64_t rounded = sum.add(ns);
      if (rounded <= 0) continue;
      sink->write(line);
      sink->write(fmt::format(" {}\n", rounded));
    }
  }
  return {};
}

}  // namespace xsp::analysis
