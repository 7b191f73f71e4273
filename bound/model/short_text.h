#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bound/model/node_view.h"

namespace xsp::bound {

/// FNV-1a sum, of bytes or of whole numbers: what stands for a text that is too long to be written.
class Fingerprint {
 public:
  void add(std::string_view bytes) {
    for (const char c : bytes) add(static_cast<uint64_t>(static_cast<unsigned char>(c)));
  }
  void add(uint64_t number) { sum_ = (sum_ ^ number) * 1099511628211U; }
  uint64_t value() const { return sum_; }
  std::string text() const;  // 16 hexadecimal digits

 private:
  uint64_t sum_ = 14695981039346656037U;
};

/// Of what is longer than 512 characters (the nodes of a forest) its length and sum: "18203:9ae16a3b2f90404f".
std::string shortened(std::string text);

/// How long the text of a node's tensors may get: a list of thousands of inputs takes a few bytes each in a file.
inline constexpr size_t kMostTensorsText = 1024;

/// Types and shapes as doc/import.md has them, joined by ";". Behind the tensors that fit into `most` characters come
/// the number of the others, their sum and how many elements they have: "f32[2,3];…498:9ae16a3b2f90404f[2988]".
std::string inputs_text(const NodeView& view, size_t most = kMostTensorsText);
std::string outputs_text(const NodeView& view, size_t most = kMostTensorsText);
/// Whether such a text lacks tensors.
bool is_cut(std::string_view tensors);

}  // namespace xsp::bound
