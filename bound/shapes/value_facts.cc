#include "bound/shapes/value_facts.h"

#include <fmt/format.h>

namespace xsp::bound {

double ValueFacts::elements() const {
  double product = 1;
  for (const int64_t dimension : dimensions) product *= static_cast<double>(dimension);
  return product;
}

std::string ValueFacts::text() const {
  if (!has_shape) return "";
  return fmt::format("{}[{}]", name_of(element), fmt::join(dimensions, ","));
}

}  // namespace xsp::bound
