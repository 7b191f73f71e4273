#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace xsp::bound {

/// One problem that is to be measured: a line of a work list (--generate, --run), and what a child process is given.
struct WorkItem {
  std::string problem;  // canonical text
  std::string model;    // the node as an ONNX model (bytes); empty: back ends that need it cannot measure it
  double flops = 0;     // what is dearest is measured first
  double bytes = 0;
  std::string of;  // for people: "ResNet50: Conv, 4 layers"
};

/// {"problem": …, "model": base64, "flops": …, "bytes": …, "of": …}, one object a line, without a newline.
std::string json_line(const WorkItem& item);
/// An error says what is missing.
Status parse_work_item(std::string_view line, WorkItem* item);

}  // namespace xsp::bound
