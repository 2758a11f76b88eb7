#pragma once

#include <sinter/trace/axis.hpp>
#include <sinter/trace/mark_dynamic.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE void mark(Tensor& x, Mark mark, std::string_view name) {
  mark.dim = axis_of(mark.dim, x, name, mark.where);
  const Extent size = x.size(mark.dim);
  const DimRange& range = mark.range;
  const bool fits =
      !size.is_number() || (size.number() >= range.min && size.number() <= range.max &&
                            size.number() % range.multiple_of == 0);
  if (range.multiple_of < 1 || range.min < 0 || range.min > range.max || !fits) {
    throw ValueError({.op = std::string(name),
                      .what = "the size of the dimension is not in the range",
                      .facts = {{"x", to_string(x)},
                                {"dim", text(mark.dim)},
                                {"range", text("min ", range.min, ", max ", range.max,
                                               ", multiple of ", range.multiple_of)}},
                      .rule = "0 <= min <= size <= max, and size is divisible by multiple_of",
                      .fix = "widen the range, or mark another dimension",
                      .where = mark.where,
                      .see = "dynamic-dimensions"});
  }
  Marks marks = x.marks() != nullptr ? *x.marks() : Marks{};
  std::erase_if(marks, [&](const Mark& other) { return other.dim == mark.dim; });
  marks.push_back(std::move(mark));
  x.set_marks(std::make_shared<const Marks>(std::move(marks)));
}

}  // namespace detail

SINTER_INLINE void mark_dynamic(Tensor& x, int dim, DimRange range, Where where) {
  detail::mark(x, {dim, Mark::Kind::dynamic, range, {}, where}, "mark_dynamic");
}

SINTER_INLINE void maybe_mark_dynamic(Tensor& x, int dim, DimRange range, Where where) {
  detail::mark(x, {dim, Mark::Kind::maybe_dynamic, range, {}, where}, "maybe_mark_dynamic");
}

SINTER_INLINE void mark_static(Tensor& x, int dim, Where where) {
  detail::mark(x, {dim, Mark::Kind::fixed, {}, {}, where}, "mark_static");
}

}  // namespace sinter::inline SINTER_ABI
