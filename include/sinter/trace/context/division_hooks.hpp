#pragma once
// What the core needs from dist for tensors that are divided among processes, and their parts.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The elements that a rank keeps.
inline std::int64_t part_size(const Division& division) {
  std::int64_t elements = 1;
  for (const std::int64_t size : division.shape) elements *= size;
  return (elements + division.ranks - 1) / division.ranks;
}

/// True if `x`, of a divided parameter, has the elements of this rank and not all.
inline bool is_part(const Tensor& x, const Division& division) {
  if (x.ndim() != 1 || !x.shape()[0].is_number()) return false;
  const std::int64_t size = x.shape()[0].number();
  const bool is_whole = division.shape.size() == 1 && division.shape[0] == size;
  return size == part_size(division) && !is_whole;
}

/// dist installs them.
struct DivisionHooks {
  /// The elements of this rank, from the whole, which all ranks have.
  Tensor (*part)(const Tensor& whole, const Division& division, Where where) = nullptr;
  /// The whole, from the parts of all ranks.
  Tensor (*whole)(const Tensor& part, const Division& division, Where where) = nullptr;
  /// Returns when all ranks of a group have come to the end of a step; does nothing in a recording.
  void (*commit)(int group, Where where) = nullptr;
  /// The sum, or the maximum, over the ranks of a group.
  Tensor (*total)(const Tensor& x, bool is_maximum, int group, Where where) = nullptr;
};
inline constinit DivisionHooks division_hooks{};

}  // namespace sinter::inline SINTER_ABI::detail
