#pragma once

#include <string>

namespace xsp {

/// The start of a small file, such as those of /proc and /sys, without blanks at the end: at most 256 KiB. Empty where
/// there is none.
std::string text_of_file(const std::string& path);

}  // namespace xsp
