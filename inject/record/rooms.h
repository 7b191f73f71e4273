#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace xsp::guest {

/// Room in a struct of this floor for what the floors above keep in it: one room each. A floor declares what it keeps
/// and in which room; the compiler checks that it fits:
///
///     struct RangeThread {
///       static constexpr ThreadRoom kRoom = ThreadRoom::kRanges;
///       uint16_t levels[kMaxRangeDomains];
///     };
///     thread.of<RangeThread>().levels[domain]++;
///
/// Zeroed with the struct that they lie in, when it is made and in a forked child: all zeros must be a valid beginning,
/// and nothing is destroyed. A room's place is known at compile time, as a field's would be. `kBytes`: the rooms'
/// sizes, in the order of `Room`'s values.
template <typename Room, size_t... kBytes>
class Rooms {
 public:
  template <typename Data>
  Data& of() {
    return *reinterpret_cast<Data*>(bytes_ + begin_of<Data>());
  }
  template <typename Data>
  const Data& of() const {
    return *reinterpret_cast<const Data*>(bytes_ + begin_of<Data>());
  }

 private:
  static constexpr size_t kSizes[sizeof...(kBytes)] = {kBytes...};  // clang 14 asks for the bound

  template <typename Data>
  static constexpr size_t begin_of() {
    constexpr auto kIndex = static_cast<size_t>(Data::kRoom);
    static_assert(std::is_same_v<decltype(Data::kRoom), const Room> && kIndex < sizeof...(kBytes));
    static_assert(sizeof(Data) <= kSizes[kIndex] && alignof(Data) <= alignof(uint64_t), "its room is too small");
    static_assert(std::is_standard_layout_v<Data> && std::is_trivially_destructible_v<Data>);
    size_t begin = 0;
    for (size_t i = 0; i < kIndex; ++i) begin += kSizes[i];
    return begin;
  }

  static_assert(((kBytes % alignof(uint64_t) == 0) && ...));
  alignas(uint64_t) std::byte bytes_[(kBytes + ...)];
};

}  // namespace xsp::guest
