#include <fmt/format.h>

#include <algorithm>

#include "bound/backends/onednn_primitive.h"

namespace xsp::bound::onednn {

std::string implementation_name(const LoadedLibrary& library, const PrimitiveDescriptorObject* descriptor) {
  const char* name = nullptr;
  const Answer answer = library.functions().descriptor_query(descriptor, kQueryImplementationName, 0, &name);
  return answer == Answer::kSuccess && name != nullptr ? name : "";
}

Description argument_description(const Session& session, const PrimitiveDescriptorObject* descriptor, int argument) {
  const void* const found = session.library->functions().descriptor_query_memory(descriptor, kQueryArgument, argument);
  Description copy = session.dialect->copy(found);
  return copy && session.library->functions().description_size(copy.get()) > 0 ? copy : nullptr;
}

std::string format_text(const DescriptionFacts& facts) {
  if (facts.format_kind != kBlockedFormat || facts.strides.size() != facts.dimensions.size()) return "opaque";
  const size_t rank = facts.dimensions.size();
  std::vector<int64_t> block_of(rank, 1);
  for (const auto& [dimension, size] : facts.blocks) {
    if (dimension < rank) block_of[dimension] *= size;
  }
  // A dimension of 1, or of one block, may have any stride: it counts as lying where it does in row-major order.
  const auto is_single = [&](size_t i) { return facts.dimensions[i] <= block_of[i]; };
  std::vector<size_t> order;
  for (size_t i = 0; i < rank; ++i) {
    if (!is_single(i)) order.push_back(i);
  }
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return facts.strides[a] > facts.strides[b]; });
  for (size_t i = 0; i < rank; ++i) {
    if (is_single(i)) order.insert(std::ranges::find_if(order, [i](size_t other) { return other > i; }), i);
  }
  std::string text;
  for (const size_t i : order) text += static_cast<char>((block_of[i] > 1 ? 'A' : 'a') + static_cast<char>(i));
  for (const auto& [dimension, size] : facts.blocks)
    text += fmt::format("{}{}", size, static_cast<char>('a' + static_cast<char>(dimension)));
  return text;
}

}  // namespace xsp::bound::onednn
