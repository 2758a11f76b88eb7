#pragma once
// Iterates over array positions in row-major order, as runs of constant stride.

#include <array>    // std::array
#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t

#include <sinter/base/container/small_vector.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

using Sizes = SmallVector<std::int64_t, 8>;

/// The number of elements of `shape`, saturated at INT64_MAX.
inline std::int64_t count(const Sizes& shape) {
  std::int64_t result = 1;
  bool overflows = false;
  for (const std::int64_t size : shape) {
    if (size == 0) return 0;
    overflows |= __builtin_mul_overflow(result, size, &result);
  }
  return overflows ? INT64_MAX : result;
}

/// The strides of a row-major array without gaps, in elements.
inline Sizes dense_strides(const Sizes& shape) {
  Sizes result = shape;
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    result[axis] = stride;
    stride *= shape[axis];
  }
  return result;
}

/// Iterates over the positions of a shape in row-major order, for n arrays with strides of their
/// own, as runs along which every array has a constant step. Axes that are contiguous in all arrays
/// are merged.
template <std::size_t n>
class Runs {
 public:
  using Offsets = std::array<std::int64_t, n>;

  Runs(const Sizes& shape, const std::array<Sizes, n>& strides) {
    std::size_t axis = shape.size();
    while (axis > 0 && shape[axis - 1] == 1) --axis;
    if (axis == 0) return;
    --axis;
    length_ = shape[axis];
    for (std::size_t list = 0; list < n; ++list) step_[list] = strides[list][axis];
    while (axis-- > 0) add_axis(shape[axis], strides, axis);
    position_.resize(extents_.size());
    if (count(extents_) == 0) length_ = 0;
  }

  /// The number of positions in a run; 0 if the shape is empty.
  std::int64_t length() const { return length_; }
  /// The step from one position of a run to the next.
  const Offsets& step() const { return step_; }
  /// The start of the current run; the first run starts at 0.
  const Offsets& start() const { return start_; }

  /// Moves to the next run. After the last run, moves back to the first and returns false.
  bool next() {
    for (std::size_t axis = 0; axis < extents_.size(); ++axis) {
      for (std::size_t list = 0; list < n; ++list) start_[list] += strides_[list][axis];
      if (++position_[axis] < extents_[axis]) return true;
      for (std::size_t list = 0; list < n; ++list) {
        start_[list] -= position_[axis] * strides_[list][axis];
      }
      position_[axis] = 0;
    }
    return false;
  }

 private:
  // Adds the next outer axis: merged into the axis inside it, or as an axis of its own.
  void add_axis(std::int64_t extent, const std::array<Sizes, n>& strides, std::size_t axis) {
    if (extent == 1) return;
    const bool outer = !extents_.empty();
    bool follows = true;
    for (std::size_t list = 0; list < n; ++list) {
      const std::int64_t inside =
          outer ? strides_[list].back() * extents_.back() : step_[list] * length_;
      follows &= strides[list][axis] == inside;
    }
    if (follows) {
      (outer ? extents_.back() : length_) *= extent;
      return;
    }
    extents_.push_back(extent);
    for (std::size_t list = 0; list < n; ++list) strides_[list].push_back(strides[list][axis]);
  }

  std::int64_t length_ = 1;
  Offsets step_{}, start_{};
  Sizes extents_{}, position_{};  // of the axes around a run, innermost first
  std::array<Sizes, n> strides_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter
