#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bound/advice/layer_kind.h"

namespace xsp::bound {

/// Who wrote a kernel.
enum class KernelOrigin : uint8_t { kUnknown, kLibrary, kFramework };

/// What a kernel does that no model asks for by itself.
enum class KernelAction : uint8_t { kOther, kPad, kTranspose, kCast, kCopy, kLayoutChange };

/// What the name of a kernel says.
struct KernelMeaning {
  KernelOrigin origin = KernelOrigin::kUnknown;
  KernelAction action = KernelAction::kOther;
  LayerKind computes = LayerKind::kOther;  // of a framework's own kernel
};

/// `name` as people read it (analysis::KernelNames).
KernelMeaning meaning_of_kernel(std::string_view name);

/// "padded", "transposed", "cast", "copied", "converted to another layout".
std::string_view done_by(KernelAction action);

/// "void mshadow::cuda::image_2d_pad_constant_kernel<8, float>(…)" as "mshadow::cuda::image_2d_pad_constant_kernel"; of
/// a kernel that is a template for many operators what the operator is, if the name tells.
std::string short_kernel_name(std::string_view name);

}  // namespace xsp::bound
