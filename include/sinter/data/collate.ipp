#pragma once

#include <algorithm>  // std::max
#include <cstring>    // std::memcpy

#include <sinter/data/collate.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/ops/creation/create.hpp>

namespace sinter::inline SINTER_ABI::data::detail {

// Copies a row-major array into the corner of a larger one.
SINTER_INLINE void copy_corner(const unsigned char* from, unsigned char* to, const Numbers& sizes,
                               const Numbers& target, std::size_t axis, std::size_t element) {
  std::size_t from_row = element, to_row = element;
  for (std::size_t i = axis + 1; i < sizes.size(); ++i) from_row *= sizes[i], to_row *= target[i];
  if (from_row == to_row) {  // no axis after this one is padded
    const std::size_t rows = axis < sizes.size() ? sizes[axis] : 1;
    if (rows * from_row != 0) std::memcpy(to, from, rows * from_row);
    return;
  }
  for (std::size_t i = 0; i < sizes[axis]; ++i) {
    copy_corner(from + i * from_row, to + i * to_row, sizes, target, axis + 1, element);
  }
}

SINTER_INLINE void fill(unsigned char* to, std::size_t bytes, double value, DType dtype,
                        Where where) {
  const Tensor number = full({}, {value, where}, dtype);
  const std::size_t element = sinter::detail::info(dtype).size;
  const void* const from = sinter::detail::host_elements_of(number.to(cpu(), where), where);
  for (std::size_t i = 0; i < bytes; i += element) std::memcpy(to + i, from, element);
}

SINTER_INLINE Numbers numbers_of(const Tensor& x, Where where) {
  Numbers result;
  for (int axis = 0; axis < x.ndim(where); ++axis) {
    result.push_back(static_cast<std::size_t>(x.shape()[axis].value(where)));
  }
  return result;
}

SINTER_INLINE std::string shown_name(const std::string& name) {
  return name.empty() ? "the example" : name;
}

SINTER_INLINE void Collator::require_count(std::size_t example, std::size_t found,
                                           std::size_t expected) const {
  using sinter::detail::text;
  if (found == expected) return;
  throw ValueError({.op = "data::Loader",
                    .what = "the examples of a batch do not have the same tensors",
                    .facts = {{text("index ", indices_[0]), text(expected, " tensors")},
                              {text("index ", indices_[example]), text(found, " tensors")}},
                    .rule = "optional tensors and lists are alike in all examples",
                    .fix = "give examples zeros instead of nothing, and padded lists",
                    .where = where()});
}

SINTER_INLINE Numbers Collator::sizes_of(sinter::detail::Span<const Tensor> parts,
                                         const std::string& name) const {
  using sinter::detail::text;
  Numbers result = numbers_of(parts[0], where());
  const bool is_sequence = result.size() == 1 && !sinter::detail::is_floating(parts[0].dtype()) &&
                           parts[0].dtype() != boolean;
  sinter::detail::Vector<char> is_padded(result.size(), is_sequence ? 1 : 0);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Numbers sizes = numbers_of(parts[i], where());
    const auto refuse = [&](const char* fix) {
      throw ShapeError({.op = "data::Loader",
                        .what = "the examples of a batch have different shapes",
                        .facts = {{"tensor", shown_name(name)},
                                  {text("index ", indices_[0]), to_string(parts[0])},
                                  {text("index ", indices_[i]), to_string(parts[i])}},
                        .rule = "tensors that are stacked have one shape",
                        .fix = fix,
                        .where = where()});
    };
    if (sizes.size() != result.size()) refuse("give all examples the same axes");
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      if (sizes[axis] == result[axis]) continue;
      if (options_.pad_to_multiple == 0) {
        refuse("crop or resize them; .pad_to_multiple = 1 fills them up to the longest");
      }
      is_padded[axis] = 1;
      result[axis] = std::max(result[axis], sizes[axis]);
    }
  }
  const std::size_t multiple = std::max<std::size_t>(options_.pad_to_multiple, 1);
  for (std::size_t axis = 0; axis < result.size(); ++axis) {
    if (is_padded[axis]) result[axis] = (result[axis] + multiple - 1) / multiple * multiple;
  }
  return result;
}

SINTER_INLINE void require_one_dtype(sinter::detail::Span<const Tensor> parts,
                                     sinter::detail::Span<const std::size_t> indices,
                                     const std::string& name, Where where) {
  using sinter::detail::text;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].dtype(where) == parts[0].dtype(where)) continue;
    throw DTypeError({.op = "data::Loader",
                      .what = "the examples of a batch have different dtypes",
                      .facts = {{"tensor", shown_name(name)},
                                {text("index ", indices[0]), to_string(parts[0])},
                                {text("index ", indices[i]), to_string(parts[i])}},
                      .rule = "tensors that are stacked have one dtype",
                      .fix = "convert them in the dataset, as in x.to(f32)",
                      .where = where,
                      .see = "dtypes"});
  }
}

SINTER_INLINE Tensor Collator::stack(sinter::detail::Span<const Tensor> parts,
                                     const std::string& name) const {
  require_one_dtype(parts, indices_, name, where());
  const Numbers target = sizes_of(parts, name);
  const DType dtype = parts[0].dtype();
  const std::size_t element = sinter::detail::info(dtype).size;
  std::vector<std::int64_t> extents{static_cast<std::int64_t>(parts.size())};
  std::size_t bytes = element;
  for (const std::size_t size : target) {
    extents.push_back(static_cast<std::int64_t>(size));
    bytes *= size;
  }
  const auto storage = sinter::detail::Storage::allocate(bytes * parts.size(), cpu(), where());
  auto* to = static_cast<unsigned char*>(storage.data());
  for (const Tensor& part : parts) {
    const Numbers sizes = numbers_of(part, where());
    if (!(sizes == target)) fill(to, bytes, options_.pad_value, dtype, where());
    const void* const from = sinter::detail::host_elements_of(part, where());
    copy_corner(static_cast<const unsigned char*>(from), to, sizes, target, 0, element);
    to += bytes;
  }
  const Tensor result(sinter::detail::make_evaluated({dtype, Shape(extents, where())}, storage));
  return result.to(options_.device, where());
}

}  // namespace sinter::inline SINTER_ABI::data::detail
