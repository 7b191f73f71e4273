#include "bound/onnx/model_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/mapped_file.h"
#include "base/owned_fd.h"
#include "bound/onnx/function_inlining.h"
#include "bound/onnx/model_budget.h"
#include "bound/onnx/model_reader.h"
#include "bound/onnx/node_order.h"
#include "bound/onnx/reading.h"

namespace xsp::bound {
namespace {

using namespace std::string_view_literals;

constexpr const char* kHintExport = "export the model: torch.onnx.export(model, inputs, \"model.onnx\")";

/// Files that are given in the place of a model, told by their bytes.
struct OtherFile {
  size_t at;
  std::string_view bytes;
  const char* what;
  const char* hint;
};

constexpr std::array kOtherFiles = {
    OtherFile{4, "ORTM"sv, "a model in ORT format", "give the .onnx model that it was converted from"},
    OtherFile{0, "PK\x03\x04"sv, "a zip archive, such as a PyTorch checkpoint", kHintExport},
    OtherFile{0, "\x80\x02"sv, "a Python pickle, such as an old PyTorch checkpoint", kHintExport},
    OtherFile{8, "{\""sv, "a file of weights (safetensors)", kHintExport},
    OtherFile{0, "GGUF"sv, "a GGUF model", kHintExport},
    OtherFile{4, "TFL3"sv, "a TensorFlow Lite model",
              "convert it: python -m tf2onnx.convert --tflite FILE --output model.onnx"},
    OtherFile{0, "\x89HDF"sv, "an HDF5 file, such as a Keras model", "convert it with tf2onnx"},
    OtherFile{0, "version https://git-lfs"sv, "a pointer of Git LFS, not the file itself", "fetch it: git lfs pull"},
    OtherFile{0, "\x1f\x8b"sv, "compressed (gzip)", "unpack it first: gunzip"},
    OtherFile{0, "\x28\xb5\x2f\xfd"sv, "compressed (zstd)", "unpack it first: zstd -d"},
    OtherFile{0,
              "\x7f"
              "ELF"sv,
              "a program or library", kHintWrongFile},
};

const OtherFile* other_file(std::string_view bytes) {
  for (const OtherFile& other : kOtherFiles) {
    if (bytes.size() > other.at && bytes.substr(other.at).starts_with(other.bytes)) return &other;
  }
  return nullptr;
}

Status file_fault(std::string error, std::string hint) { return {std::move(error), std::move(hint), kExitBadModel}; }

}  // namespace

Status parse_model(std::string_view bytes, Model* model) {
  *model = {};
  ModelBudget budget;
  Status status = read_messages(bytes, budget, model);
  if (status.ok()) status = inline_functions(budget, model);
  if (status.ok()) status = order_nodes(&model->graph);
  return status;
}

Status read_model(const std::string& path, Model* model) {
  // A pipe without a writer would keep open() waiting.
  const OwnedFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0) {
    return file_fault(fmt::format("cannot open {} ({})", path, std::strerror(errno)), "give the path of an ONNX model");
  }
  if (S_ISDIR(facts.st_mode)) return file_fault(path + " is a directory", "give the .onnx file in it");
  if (!S_ISREG(facts.st_mode)) return file_fault(path + " is no regular file", "save the model as a file");
  if (facts.st_size == 0) return file_fault(path + " is empty", kHintDamaged);

  const MappedFile mapped(file.get(), static_cast<size_t>(facts.st_size));
  if (!mapped.is_there()) {
    return file_fault(fmt::format("cannot read {} ({})", path, std::strerror(errno)), "copy it to a local file system");
  }
  Status status = parse_model(mapped.bytes(), model);
  if (status.ok()) return status;
  if (const OtherFile* const other = other_file(mapped.bytes())) {
    return file_fault(fmt::format("{} is {}, no ONNX model", path, other->what), other->hint);
  }
  status.error.insert(0, path + ": ");
  return status;
}

}  // namespace xsp::bound
