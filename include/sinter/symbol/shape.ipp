#pragma once

#include <algorithm>  // std::max

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/symbol/shape.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE std::string print_extents(detail::Span<const Extent> extents) {
  std::string result = "[";
  for (const Extent& extent : extents) {
    if (&extent != extents.data()) result += ", ";
    result += symbolic_text(extent);
  }
  return result + "]";
}

SINTER_INLINE std::vector<Extent> extents_of(detail::Span<const std::int64_t> numbers,
                                             Where where) {
  std::vector<Extent> result;
  result.reserve(numbers.size());
  for (const std::int64_t number : numbers) result.emplace_back(number, where);
  return result;
}

}  // namespace detail

SINTER_INLINE Shape::Shape(detail::Span<const Extent> extents, Where where) {
  if (extents.size() > detail::max_rank)
    throw_rank(extents.first(extents.size() - 1), extents.back(), where);
  for (const Extent extent : extents) extents_[static_cast<std::size_t>(size_++)] = extent;
}

SINTER_INLINE Shape::Shape(std::initializer_list<Extent> extents, Where where)
    : Shape(detail::Span(extents.begin(), extents.size()), where) {}

SINTER_INLINE Shape::Shape(const std::vector<Extent>& extents, Where where)
    : Shape(detail::Span<const Extent>(extents), where) {}

SINTER_INLINE Shape::Shape(detail::Span<const std::int64_t> extents, Where where)
    : Shape(detail::extents_of(extents, where), where) {}

SINTER_INLINE void Shape::throw_axis(const detail::Located<int>& axis) const {
  throw IndexError({.op = "shape",
                    .what = detail::text("there is no axis ", axis.value),
                    .facts = {{"shape", detail::text(*this)}},
                    .rule = detail::text(-size_, " <= axis < ", size_),
                    .where = axis.where});
}

SINTER_INLINE void Shape::throw_rank(detail::Span<const Extent> extents, Extent next, Where where) {
  std::vector<Extent> sizes(extents.begin(), extents.end());
  sizes.push_back(next);
  throw ShapeError(
      {.op = "shape",
       .what = "too many dimensions",
       .facts = {{"shape", detail::print_extents(sizes)}, {"rank", detail::text(sizes.size())}},
       .rule = detail::text("rank <= ", detail::max_rank),
       .fix = "merge dimensions with reshape or flatten",
       .where = where});
}

namespace detail {

SINTER_INLINE bool is_static(const Shape& shape) {
  return all_of(shape, [](Extent extent) { return extent.is_number(); });
}

}  // namespace detail

SINTER_INLINE Extent numel(const Shape& shape) {
  Extent result = 1;
  for (const Extent extent : shape) result *= extent;
  return result;
}

namespace detail {

SINTER_INLINE Shape row_major_strides(const Shape& shape) {
  Shape result = shape;
  Extent stride = 1;
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    result[axis] = stride;
    stride *= shape[axis];
  }
  return result;
}

SINTER_INLINE Optional<Shape> broadcast(const Shape& a, const Shape& b) {
  const int size = std::max(a.size(), b.size());
  Shape result;
  for (int axis = -size; axis < 0; ++axis) {
    const Extent x = axis >= -a.size() ? a[axis] : 1;
    const Extent y = axis >= -b.size() ? b[axis] : 1;
    if (!same(x, y) && !same(x, 1) && !same(y, 1)) return std::nullopt;
    result.push_back(same(x, 1) ? y : x);
  }
  return result;
}

}  // namespace detail

SINTER_INLINE std::string symbolic_text(const Shape& shape) { return detail::print_extents(shape); }

SINTER_INLINE std::string to_string(const Shape& shape, Where where) {
  std::string result = "[";
  for (int axis = 0; axis < shape.size(); ++axis) {
    result += (axis == 0 ? "" : ", ") + to_string(shape[axis], where);
  }
  return result + "]";
}

SINTER_INLINE bool operator==(const detail::LocatedShape& lhs, const detail::LocatedShape& rhs) {
  if (lhs.value.size() != rhs.value.size()) return false;
  for (int axis = 0; axis < lhs.value.size(); ++axis) {
    const Extent a = lhs.value[axis], b = rhs.value[axis];
    if (!detail::same(a, b) &&
        detail::LocatedExtent{a, lhs.where} != detail::LocatedExtent{b, rhs.where})
      return false;
  }
  return true;
}

}  // namespace sinter::inline SINTER_ABI
