#pragma once
// State that is replaced in places: what stays as it is, is neither read nor written.

#include <cstddef>   // std::size_t
#include <optional>  // std::optional
#include <span>      // std::span
#include <vector>    // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/launch/order.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// An output that begins as the input that it updates, and how: kernel `at` of a list is `changed`,
/// after `checks` of what can fault of it, which write nothing; the copy of the input is left out.
struct InPlace {
  Overwriting update{};
  std::size_t at = 0;
  Lowered changed{};
  std::optional<Lowered> checks{};
  std::optional<std::size_t> copy{};
};

/// Those of `updates` that one of `kernels` writes only in places, as an addition to some elements,
/// or a select of old elements and new ones. The order has to keep what reads the input before it.
std::vector<InPlace> in_place(std::span<const Lowered> kernels,
                              std::span<const Overwriting> updates);

/// Keeps kernels that may write `updates` in places out of blocks, where they would write all.
void keep_apart(std::span<Lowered> kernels, std::span<const Overwriting> updates);

/// `kernels` with `changes`.
std::vector<Lowered> with_changes(std::span<const Lowered> kernels,
                                  std::span<const InPlace> changes);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/launch/in_place.ipp>
#endif
