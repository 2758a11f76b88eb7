#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/trace/context/division.hpp>
#include <sinter/trace/context/division_hooks.hpp>

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

SINTER_INLINE Tensor whole_of(const Tensor& x, Where where) {
  const Division* const division = division_of(x);
  if (division == nullptr || !is_part(x, *division)) return x;
  return division_hooks.whole(x, *division, where);
}

}  // namespace sinter::inline SINTER_ABI::detail
