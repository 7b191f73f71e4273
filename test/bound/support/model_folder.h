#pragma once

#include <filesystem>
#include <string>

#include "bound/onnx/graph.h"

namespace xsp::bound::test {

/// A folder for models that goes with the test.
class ModelFolder {
 public:
  ModelFolder();
  ~ModelFolder();
  ModelFolder(const ModelFolder&) = delete;
  ModelFolder& operator=(const ModelFolder&) = delete;

  /// Writes the model and returns its path.
  std::string write(const std::string& name, const Model& model) const;

 private:
  std::filesystem::path path_;
};

}  // namespace xsp::bound::test
