#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/trace/context/division.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE const Division* division_of(const Tensor& x) {
  if (x.marks() == nullptr) return nullptr;
  for (const Mark& mark : *x.marks()) {
    if (mark.kind == Mark::Kind::divided) return &mark.division;
  }
  return nullptr;
}

SINTER_INLINE void set_division(Tensor& x, const Division* division) {
  if (division == nullptr && division_of(x) == nullptr) return;
  Marks marks = x.marks() != nullptr ? *x.marks() : Marks{};
  Mark mark{.dim = -1, .kind = Mark::Kind::divided};
  if (division != nullptr) mark.division = *division;  // before it may end with the old marks
  erase_if(marks, [](const Mark& other) { return other.kind == Mark::Kind::divided; });
  if (division != nullptr) marks.push_back(std::move(mark));
  x.set_marks(make_shared_ptr<const Marks>(std::move(marks)));
}

SINTER_INLINE std::int64_t part_size(const Division& division) {
  std::int64_t elements = 1;
  for (const std::int64_t size : division.shape) elements *= size;
  return (elements + division.ranks - 1) / division.ranks;
}

SINTER_INLINE bool is_part(const Tensor& x, const Division& division) {
  if (x.ndim() != 1 || !x.shape()[0].is_number()) return false;
  const std::int64_t size = x.shape()[0].number();
  const bool is_whole = division.shape.size() == 1 && division.shape[0] == size;
  return size == part_size(division) && !is_whole;
}

SINTER_INLINE Tensor whole_of(const Tensor& x, Where where) {
  const Division* const division = division_of(x);
  if (division == nullptr || !is_part(x, *division)) return x;
  return division_hooks.whole(x, *division, where);
}

}  // namespace sinter::inline SINTER_ABI::detail
