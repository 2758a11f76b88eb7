#pragma once

#include <algorithm>  // std::adjacent_find, std::lower_bound

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/trace/context/mark_dynamic.hpp>
#include <sinter/trace/core/axis.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

[[noreturn]] SINTER_INLINE void throw_range(const Tensor& x, const Mark& mark) {
  const DimRange& range = mark.range;
  const std::string largest = range.max == unbounded ? ", no max" : text(", max ", range.max);
  throw ValueError(
      {.op = mark.op,
       .what = "the size of the dimension is not in the range",
       .facts = {{"x", to_string(x)},
                 {"dim", text(mark.dim)},
                 {"range", text("min ", range.min, largest, ", multiple of ", range.multiple_of)}},
       .rule = "0 <= min <= size <= max, and size is divisible by multiple_of",
       .fix = "widen the range, or mark another dimension",
       .where = mark.where,
       .see = "dynamic-dimensions"});
}

// The last mark of a dimension wins.
SINTER_INLINE void set_mark(Tensor& x, Mark mark) {
  Marks marks = x.marks() != nullptr ? *x.marks() : Marks{};
  erase_if(marks, [&](const Mark& other) { return other.dim == mark.dim; });
  marks.push_back(std::move(mark));
  x.set_marks(make_shared_ptr<const Marks>(std::move(marks)));
}

SINTER_INLINE void mark(Tensor& x, Mark mark) {
  mark.dim = axis_of(mark.dim, x, mark.op, mark.where);
  const Extent size = x.size(mark.dim);
  const DimRange& range = mark.range;
  if (range.multiple_of < 1 || range.min < 0 || range.min > range.max) throw_range(x, mark);
  const bool fits =
      !size.is_number() || (size.number() >= range.min && size.number() <= range.max &&
                            size.number() % range.multiple_of == 0);
  if (!fits) throw_range(x, mark);
  set_mark(x, std::move(mark));
}

[[noreturn]] SINTER_INLINE void throw_buckets(const std::vector<std::int64_t>& sizes, Where where) {
  throw ValueError(
      {.op = "bucket",
       .what = "the sizes are not valid buckets",
       .facts = {{"sizes", text(sizes)}},
       .rule = "there is a size; sizes are at least 1, and each is above the one before",
       .fix = "write the largest size of each bucket, as {32, 64, 128}",
       .where = where,
       .see = "dynamic-dimensions"});
}

[[noreturn]] SINTER_INLINE void throw_above_buckets(const Tensor& x, int dim,
                                                    const std::vector<std::int64_t>& sizes,
                                                    Where where) {
  throw ValueError({.op = "bucket",
                    .what = "the size of the dimension is above the largest bucket",
                    .facts = {{"x", to_string(x)}, {"dim", text(dim)}, {"sizes", text(sizes)}},
                    .rule = text("size <= ", sizes.back()),
                    .fix = "add a larger bucket, or slice the tensor",
                    .where = where,
                    .see = "dynamic-dimensions"});
}

}  // namespace detail

SINTER_INLINE void mark_dynamic(Tensor& x, int dim, DimRange range, Where where) {
  detail::mark(x, {dim, detail::Mark::Kind::dynamic, range, {}, where, "mark_dynamic"});
}

SINTER_INLINE void maybe_mark_dynamic(Tensor& x, int dim, DimRange range, Where where) {
  detail::mark(x, {dim, detail::Mark::Kind::maybe_dynamic, range, {}, where, "maybe_mark_dynamic"});
}

SINTER_INLINE Tensor bucket(Tensor x, int dim, std::vector<std::int64_t> sizes, Where where) {
  const bool ascend =
      std::adjacent_find(sizes.begin(), sizes.end(), [](std::int64_t size, std::int64_t next) {
        return size >= next;
      }) == sizes.end();
  if (sizes.empty() || sizes.front() < 1 || !ascend) detail::throw_buckets(sizes, where);
  dim = detail::axis_of(dim, x, "bucket", where);
  const Extent size = x.size(dim);
  if (!size.is_number()) return x;
  const auto last = std::lower_bound(sizes.begin(), sizes.end(), size.number());
  if (last == sizes.end()) detail::throw_above_buckets(x, dim, sizes, where);
  const std::int64_t min = last == sizes.begin() ? 0 : last[-1] + 1;
  detail::set_mark(x, {dim, detail::Mark::Kind::dynamic, {min, *last}, {}, where, "bucket"});
  return x;
}

SINTER_INLINE void mark_static(Tensor& x, int dim, Where where) {
  detail::mark(x, {dim, detail::Mark::Kind::fixed, {}, {}, where, "mark_static"});
}

}  // namespace sinter::inline SINTER_ABI
