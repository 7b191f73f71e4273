#pragma once

namespace xsp::guest {

/// TensorFlow runs each kernel through a virtual function of its device, Device::Compute, whose implementations are
/// exported. Their addresses in the virtual tables are replaced by functions of the guest, and so are those of the
/// functions that begin a step, in the tables through which its libraries call each other.

/// Replaces them, once for the process and its children; cheap afterwards. If kernels cannot be hooked, a notice says
/// so. To be called when a call of a model begins.
void watch_kernels();

}  // namespace xsp::guest
