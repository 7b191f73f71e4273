#pragma once

#include <string_view>

namespace xsp::guest {

/// Name and type of an OpKernel: "model/conv1/Conv2D" and "_MklNativeConv2D". They belong to the kernel.
struct KernelName {
  std::string_view name;
  std::string_view type;
};

/// Finds the functions that name kernels, or with which the place of the names is found. False where there are none:
/// kernels are not recorded then.
bool can_name_kernels();

/// False where the names' place is not known, which a notice says once.
///
/// Versions from 2.2 on export no function that returns them without making a string. They are two adjacent
/// string_views in the OpKernel, at a place that versions differ in. A place counts if, for several kernels, what is
/// read there is what OpKernel::TraceString says. In 1.15, OpKernel::name and type_string return strings, whose layout
/// (that of libstdc++ before or since C++11) counts if their lengths agree with where the texts end. Until then memory
/// is read through the kernel of the system.
bool read_kernel_name(const void* kernel, const void* context, KernelName* name);

/// Whether a kernel of this type computes nothing: arguments, constants, variables' handles, transfers
/// between devices.
bool is_bookkeeping(std::string_view type);

}  // namespace xsp::guest
