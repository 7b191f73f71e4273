#pragma once

#include <string>
#include <string_view>

namespace xsp::analysis {

/// What is left of a path without its folders: "infer.py" of "/home/me/infer.py" and of "C:\\me\\infer.py".
std::string base_name(std::string_view path);

/// Whether a text as a whole is a path with a root: "/home/…", "~/…", "C:\\…", "\\\\host\\…", "file://…".
bool is_rooted_path(std::string_view text);

/// Whether it is one under a root folder of an operating system, unlike names such as "/conv1/Conv".
bool is_in_system_folder(std::string_view text);

/// A sentence with only the base names of the paths in it. What is taken for a path: what begins with a root, and what
/// has folders before a name with the ending of a file.
std::string without_folders(std::string_view text);

}  // namespace xsp::analysis
