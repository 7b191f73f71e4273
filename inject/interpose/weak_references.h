#pragma once

namespace xsp::guest {

/// A program may ask by a weak reference whether there is a library, and would find the guest's wrapper in its place.
/// Sets the slots of such references to null where no loaded library meets them, as the loader would have. For the
/// objects that are loaded with the program; those opened later are bound behind the guest's back.
void clear_unmet_weak_references();

}  // namespace xsp::guest
