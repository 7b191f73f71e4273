#pragma once

#include "bound/model/layered_model.h"
#include "test/bound/support/model_builder.h"
#include "test/bound/support/model_folder.h"
#include "test/catch.h"

namespace xsp::bound::test {

/// The model as xsp-bound sees its file; the test ends where that fails.
inline LayeredModel taken_apart(const ModelBuilder& builder) {
  const ModelFolder folder;
  LayeredModel layered;
  const std::string path = folder.write("model.onnx", ModelBuilder(builder).model());
  const Status status = take_apart(path, {}, &layered);
  INFO(status.error);
  REQUIRE(status.ok());
  return layered;
}

/// Of its last node.
inline std::string last_problem(const ModelBuilder& builder) { return taken_apart(builder).layers.back().problem; }

}  // namespace xsp::bound::test
