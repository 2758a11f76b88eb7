#pragma once

#include <algorithm>  // std::max, std::min
#include <utility>    // std::move

#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/module/walk.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/index/gather.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/index/mask.hpp>
#include <sinter/trace/ops/index/selection.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE Extent SliceEnd::nearest(bool is_negative, std::uint64_t bits) {
  if (is_negative) return std::max(static_cast<std::int64_t>(bits), -Extent::max_number - 1);
  return std::min<std::uint64_t>(bits, Extent::max_number);
}

SINTER_INLINE Index::Index(Extent position, Where at)
    : value(size_in_recording(position, at)), where(at) {}
SINTER_INLINE Index::Index(Slice slice, Where at) : where(at) {
  for (std::optional<SliceEnd>* const end : {&slice.start, &slice.stop}) {
    if (*end) (*end)->value = size_in_recording((*end)->value, at);
  }
  value = slice;
}
SINTER_INLINE Index::Index(All whole, Where at) : value(whole), where(at) {}
SINTER_INLINE Index::Index(NewAxis axis, Where at) : value(axis), where(at) {}
SINTER_INLINE Index::Index(Ellipsis rest, Where at) : value(rest), where(at) {}
SINTER_INLINE Index::Index(Tensor indices, Where at) : value(std::move(indices)), where(at) {}
SINTER_INLINE Index::Index(const Scalar& position, Where at) : Index(position.tensor(), at) {}

// Applies the rank-0 positions of `selection` to `x`, last axis first; keeps every intermediate.
SINTER_INLINE std::vector<Tensor> take_positions(Tensor x, const Selection& selection) {
  const Where at = selection.where;
  std::vector<Tensor> steps{std::move(x)};
  for (std::size_t i = selection.positions.size(); i-- > 0;) {
    const auto& [axis, indices] = selection.positions[i];
    steps.push_back(gather_at(steps.back(), axis, indices, at));
  }
  return steps;
}

// Inverts take_positions: writes `part` in place of its result, step by step.
SINTER_INLINE Tensor put_positions(const std::vector<Tensor>& steps, const Selection& selection,
                                   Tensor part) {
  const Where at = selection.where;
  for (std::size_t i = 0; i < selection.positions.size(); ++i) {
    const AxisIndices& position = selection.positions[i];
    const Tensor& x = steps[steps.size() - 2 - i];
    const Extent extent = x.shape()[position.axis];
    const Tensor chosen = checked_indices(position.indices, extent, at);
    const Tensor is_chosen = eq({arange(extent, at), at}, {chosen, at});
    part = sinter::where({along_axis(is_chosen, x, position.axis, at), at},
                         {unsqueeze({part, at}, position.axis), at}, {x, at});
  }
  return part;
}

// `x` with `value` at the elements selected by lists.
SINTER_INLINE Tensor put_lists(Write write, const Tensor& x, const Selection& selection,
                               const Operand& value, std::string_view op) {
  const Where at = selection.where;
  const Merged merged = merge_lists(x.shape(), selection.lists, op, at);
  const Tensor fitted = fit_value(value, x, merged.result, op, at);
  const int listed = merged.rows.ndim();
  const Recorder* const recorder = current_recorder();
  const Shape given = recorder == nullptr ? value.shape() : recorder->resolve(value.shape());
  // A constant value needs no search for the last write.
  bool is_same_for_all = true;
  for (int i = 0; i < listed; ++i) {
    const int axis = merged.axis + i - merged.result.size() + given.size();
    is_same_for_all = is_same_for_all && (axis < 0 || same(given[axis], Extent(1)));
  }
  const Tensor rows =
      checked_indices(reshape({merged.rows, at}, {-1}), merged.merged[merged.axis], at);
  Shape slices = merged.merged;
  slices[merged.axis] = is_same_for_all ? Extent(1) : rows.shape()[0];
  Tensor written;
  if (!is_same_for_all) {
    written = reshape({fitted, at}, slices);
  } else {
    Shape shape = merged.result;
    for (int i = 0; i < listed; ++i) shape[merged.axis + i] = 1;
    written = reshape({fit_value(value, x, shape, op, at), at}, slices);
  }
  return unmerge(write(merge(x, merged, at), merged.axis, rows, written, at), merged, at);
}

SINTER_INLINE Tensor put(Write write, const Tensor& x, detail::Span<const Index> indices,
                         const Operand& value, std::string_view op, Where where) {
  const Selection selection = select(x, indices, op, where);
  const std::vector<Tensor> steps = take_positions(take_ranges(x, selection), selection);
  const Tensor& last = steps.back();
  Tensor part;
  if (!selection.lists.empty()) {
    part = put_lists(write, last, selection, value, op);
  } else {
    part = fit_value(value, x, last.shape(), op, where);
    if (write == Write(accumulate)) part = add({last, where}, {part, where});
  }
  return put_ranges(x, selection, put_positions(steps, selection, part));
}

SINTER_INLINE Where where_of(detail::Span<const Index> indices) {
  return indices.empty() ? Where() : indices[0].where;
}

// The number of axes before the only mask in `indices` if all other axes are whole; else -1.
SINTER_INLINE int axes_before_mask(const Tensor& x, detail::Span<const Index> indices) {
  int left = x.ndim(), before = 0, found = -1;
  for (const Index& index : indices) left -= axes_taken(index);
  for (const Index& index : indices) {
    const auto* const mask = index.value.get_if<Tensor>();
    const bool is_whole = index.value.is<All>();
    const bool is_rest = index.value.is<Ellipsis>();
    if (mask == nullptr && !is_whole && !is_rest) return -1;
    if (mask != nullptr && (found >= 0 || mask->dtype(index.where) != boolean)) return -1;
    if (mask != nullptr) found = before;
    before += is_rest ? left : axes_taken(index);
  }
  return left < 0 || before > x.ndim() ? -1 : found;
}

// If the only index is a mask, it is not read: the value is written where the mask holds, in order.
SINTER_INLINE Tensor put_mask(const Tensor& x, int before, const Index& index,
                              const Operand& value) {
  const Where at = index.where;
  const Tensor mask = index.value.get<Tensor>();
  require_mask(x, before, mask, "set", at);
  const int after = x.ndim() - before - mask.ndim();
  Shape aligned = mask.shape();
  for (int i = 0; i < after; ++i) aligned.push_back(1);
  const Tensor holds = reshape({mask, at}, aligned);
  const Shape given = value.shape();
  Extent count = given.size() > after ? given[given.size() - after - 1] : Extent(1);
  if (fix_one(count, at)) count = 1;
  Shape selected;  // of one element, or of `count` of them
  for (int i = 0; i < x.ndim(); ++i) {
    if (i == before) selected.push_back(count);
    if (i < before || i >= before + mask.ndim()) selected.push_back(x.shape()[i]);
  }
  if (before == x.ndim()) selected.push_back(count);
  Tensor rows = fit_value(value, x, selected, "set", at);
  if (is_size(count, 0, at)) return x;
  Shape shape = replaced_axis(selected, before, mask.shape(), at);
  if (same(count, Extent(1))) {
    for (int i = 0; i < mask.ndim(); ++i) shape[before + i] = 1;
    rows = reshape({rows, at}, shape);
  } else {
    rows = gather_at(rows, before, numbers_where(mask, at), at);
  }
  return sinter::where({holds, at}, {rows, at}, {x, at});
}

SINTER_INLINE Tensor index(Operand x, detail::Span<const Index> indices) {
  const PublicCall call("operator[]", x.where);
  const Tensor tensor = x.tensor();
  const detail::Selection selection = detail::select(tensor, indices, "operator[]", x.where);
  const Tensor part =
      detail::take_positions(detail::take_ranges(tensor, selection), selection).back();
  if (selection.lists.empty()) return part;
  const detail::Merged merged =
      detail::merge_lists(part.shape(), selection.lists, "operator[]", x.where);
  return detail::gather_at(detail::merge(part, merged, x.where), merged.axis, merged.rows, x.where);
}

}  // namespace detail

SINTER_INLINE Tensor Tensor::operator[](detail::Index index) const {
  return sinter::detail::index({*this, index.where}, {&index, 1});
}

SINTER_INLINE Tensor Tensor::operator[](std::initializer_list<detail::Index> indices) const {
  const detail::Span<const detail::Index> list(indices.begin(), indices.size());
  return sinter::detail::index({*this, detail::where_of(list)}, list);
}

SINTER_INLINE Tensor nn::Buffer::operator[](sinter::detail::Index index) const {
  return value[std::move(index)];
}

SINTER_INLINE Tensor
nn::Buffer::operator[](std::initializer_list<sinter::detail::Index> indices) const {
  return value[indices];
}

SINTER_INLINE Tensor set(Operand x, detail::Span<const detail::Index> indices, Operand value) {
  const detail::PublicCall call("set", x.where);
  const Tensor tensor = x.tensor();
  tensor.type(x.where);
  const int before = detail::axes_before_mask(tensor, indices);
  if (before >= 0) {
    for (const detail::Index& index : indices) {
      if (index.value.is<Tensor>()) {
        return detail::put_mask(tensor, before, index, value);
      }
    }
  }
  return detail::put(detail::overwrite, tensor, indices, value, "set", x.where);
}

SINTER_INLINE Tensor set(Operand x, detail::Index index, Operand value) {
  const detail::PublicCall call("set", x.where);
  return set(x, detail::Span<const detail::Index>(&index, 1), value);
}

SINTER_INLINE Tensor set(Operand x, std::initializer_list<detail::Index> indices, Operand value) {
  const detail::PublicCall call("set", x.where);
  return set(x, detail::Span<const detail::Index>(indices.begin(), indices.size()), value);
}

SINTER_INLINE Tensor index_put(Operand x, detail::Span<const detail::Index> indices, Operand value,
                               bool accumulate) {
  const detail::PublicCall call("index_put", x.where);
  if (!accumulate) return set(x, indices, value);
  return detail::put(detail::accumulate, x.tensor(), indices, value, "index_put", x.where);
}

SINTER_INLINE Tensor index_put(Operand x, std::initializer_list<detail::Index> indices,
                               Operand value, bool accumulate) {
  const detail::PublicCall call("index_put", x.where);
  return index_put(x, detail::Span<const detail::Index>(indices.begin(), indices.size()), value,
                   accumulate);
}

}  // namespace sinter::inline SINTER_ABI
