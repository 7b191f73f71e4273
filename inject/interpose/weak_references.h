#pragma once

namespace xsp::guest {

/// A program may use a weak reference to ask whether there is a library, and would find the guest's wrapper instead.
/// Sets the slots of such references to null where no loaded library defines the symbol, as the loader would have.
/// Covers the objects that are loaded with the program; those that are opened later are bound without the guest
/// knowing.
void clear_unmet_weak_references();

}  // namespace xsp::guest
