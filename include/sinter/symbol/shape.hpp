#pragma once
// The extents of a tensor, known when the program is recorded.

#include <array>             // std::array
#include <cstdint>           // std::int64_t
#include <initializer_list>  // std::initializer_list
#include <string>            // std::string
#include <vector>            // std::vector

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/where.hpp>
#include <sinter/symbol/extent/extent.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// Tensors have at most this many dimensions.
inline constexpr int max_rank = 10;

}  // namespace detail

/// Up to max_rank extents, in place. Constructors throw ShapeError for more.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<Extent> extents, Where where = Where::current());
  explicit Shape(detail::Span<const Extent> extents, Where where = Where::current());
  explicit Shape(const std::vector<Extent>& extents, Where where = Where::current());
  explicit Shape(detail::Span<const std::int64_t> extents, Where where = Where::current());

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// The extent of `axis`, which counts from the end if it is negative.
  /// Throws IndexError if there is no such axis.
  Extent operator[](const detail::Located<int>& axis) const { return extents_[position(axis)]; }
  Extent& operator[](const detail::Located<int>& axis) { return extents_[position(axis)]; }
  const Extent* begin() const { return extents_.data(); }
  const Extent* end() const { return extents_.data() + size_; }
  Extent back() const { return (*this)[-1]; }
  /// Throws ShapeError if there are max_rank extents already.
  void push_back(Extent extent, Where where = Where::current()) {
    if (size_ == detail::max_rank) throw_rank({begin(), detail::max_rank}, extent, where);
    extents_[static_cast<std::size_t>(size_++)] = extent;
  }

 private:
  std::size_t position(const detail::Located<int>& axis) const {
    const int from_front = axis.value < 0 ? axis.value + size_ : axis.value;
    if (from_front < 0 || from_front >= size_) throw_axis(axis);
    return static_cast<std::size_t>(from_front);
  }
  [[noreturn]] void throw_axis(const detail::Located<int>& axis) const;
  [[noreturn]] static void throw_rank(detail::Span<const Extent> extents, Extent next, Where where);

  std::array<Extent, detail::max_rank> extents_{};
  int size_ = 0;
};

namespace detail {

/// True if ranks and canonical extents are the same; never asks the recorder.
inline bool same(const Shape& a, const Shape& b) {
  if (a.size() != b.size()) return false;
  for (int axis = 0; axis < a.size(); ++axis) {
    if (!same(a.begin()[axis], b.begin()[axis])) return false;
  }
  return true;
}

/// True if every extent is a number.
bool is_static(const Shape& shape);

}  // namespace detail

/// The number of elements: the product of the extents, 1 for rank 0.
Extent numel(const Shape& shape);

namespace detail {

/// Row-major strides in elements: [4, 3, 2] gives [6, 2, 1].
Shape row_major_strides(const Shape& shape);

/// The broadcast shape of two operands, by the rule of NumPy: from the last axis on, extents are
/// the same or one of them is 1; nothing otherwise. A symbol is never assumed to be 1, nor two
/// symbols to be equal.
Optional<Shape> broadcast(const Shape& a, const Shape& b);

}  // namespace detail

/// "[64, 128]", "[s0, 128]", "[]": never asks the recorder.
std::string symbolic_text(const Shape& shape);
/// "[64, 128]", of extents as to_string(Extent) writes them: it may assume what it shows.
std::string to_string(const Shape& shape, Where where = Where::current());

namespace detail {

/// An operand of a comparison of shapes, with its place in the user's program.
struct LocatedShape {
  LocatedShape(const Shape& shape, Where at = Where::current()) : value(shape), where(at) {}

  const Shape& value;
  Where where;
};

}  // namespace detail

/// True if ranks and extents are equal, each extent compared as the user compares two: decided, or
/// answered by the recording, which assumes the answer from then on. Code of sinter calls same().
bool operator==(const detail::LocatedShape& lhs, const detail::LocatedShape& rhs);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/symbol/shape.ipp>
#endif
