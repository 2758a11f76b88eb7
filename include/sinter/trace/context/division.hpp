#pragma once
// Division: reads and sets how tensors are divided among processes, and what dist does for them.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// How `x` is divided; null if it is not.
const Division* division_of(const Tensor& x);

/// Sets how `x` is divided; null for not at all. Other marks stay.
void set_division(Tensor& x, const Division* division);

/// The elements that a rank keeps.
std::int64_t part_size(const Division& division);

/// True if `x`, of a divided parameter, has the elements of this rank and not all.
bool is_part(const Tensor& x, const Division& division);

/// `x`, or the whole of it if it is a part.
Tensor whole_of(const Tensor& x, Where where);

/// What the core needs from dist, which installs it.
struct DivisionHooks {
  /// The elements of this rank, from the whole, which all ranks have.
  Tensor (*part)(const Tensor& whole, const Division& division, Where where) = nullptr;
  /// The whole, from the parts of all ranks.
  Tensor (*whole)(const Tensor& part, const Division& division, Where where) = nullptr;
  /// The sum, or the maximum, over the ranks of a group.
  Tensor (*total)(const Tensor& x, bool is_maximum, int group, Where where) = nullptr;
};
inline constinit DivisionHooks division_hooks{};

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/context/division.ipp>
#endif
