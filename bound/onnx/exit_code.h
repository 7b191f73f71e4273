#pragma once

namespace xsp::bound {

/// Exit code of a model that cannot be read, or that nothing could run: shapes that cannot be, values that no node
/// writes.
inline constexpr int kExitBadModel = 3;

}  // namespace xsp::bound
