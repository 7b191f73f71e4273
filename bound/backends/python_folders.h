#pragma once

#include <string>
#include <vector>

namespace xsp::bound {

/// Folders of the packages that the user's Python sees ("…/lib/python3.11/site-packages"), in its order, each once:
/// those of $PYTHONPATH, of $VIRTUAL_ENV, of $CONDA_PREFIX, and of the `python3` or `python` that PATH leads to, which
/// is not run. Only folders that are there.
std::vector<std::string> python_folders();

/// The folders in which packages of these Pythons put plain libraries ("…/lib"), as those of oneDNN and MKL do.
std::vector<std::string> python_library_folders();

/// Paths of the files of a folder whose names match a shell pattern ("lib*openblas*.so*"), sorted; none where the
/// folder cannot be read.
std::vector<std::string> files_like(const std::string& folder, const std::string& pattern);

}  // namespace xsp::bound
