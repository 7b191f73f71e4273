#include "test/bound/support/model_folder.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "bound/onnx/model_file.h"

namespace xsp::bound::test {

ModelFolder::ModelFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "xsp-models-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

ModelFolder::~ModelFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ModelFolder::write(const std::string& name, const Model& model) const {
  const auto path = path_ / name;
  std::ofstream file(path, std::ios::binary);
  file << write_model(model);
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
  return path.string();
}

}  // namespace xsp::bound::test
