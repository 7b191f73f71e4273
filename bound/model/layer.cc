#include "bound/model/layer.h"

namespace xsp::bound {

std::string_view name_of(LayerClass layer_class) {
  switch (layer_class) {
    case LayerClass::kCompute:
      return "compute";
    case LayerClass::kMovement:
      return "movement";
    case LayerClass::kZero:
      return "zero";
    case LayerClass::kControl:
      return "control";
    case LayerClass::kUnknown:
      return "unknown";
  }
  return "unknown";
}

bool has_work(LayerClass layer_class) {
  return layer_class == LayerClass::kCompute || layer_class == LayerClass::kMovement;
}

}  // namespace xsp::bound
