#pragma once

#include <algorithm>  // std::min
#include <bit>        // std::bit_cast
#include <cstring>    // std::memcpy

#include <sinter/base/philox.hpp>
#include <sinter/runtime/interpreter/creation.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

SINTER_INLINE Array constant(const Constant& value, const Sizes& shape, Where where) {
  Array result = make_dense(value.dtype, {}, where);
  if (is_floating(value.dtype)) {
    const double number = value.floating();
    store(value.dtype, &number, 1, result.data());
  } else {
    const std::int64_t number = value.integer();
    store(value.dtype, &number, 1, result.data());
  }
  result.shape = shape;
  result.strides.resize(shape.size());
  return result;
}

SINTER_INLINE Array iota(DType dtype, const Sizes& shape, std::int64_t axis, Where where) {
  const auto along = static_cast<std::size_t>(axis);
  Array result = make_dense(dtype, {shape[along]}, where);
  const auto element = static_cast<std::int64_t>(info(dtype).size);
  std::int64_t positions[chunk];
  for (std::int64_t done = 0; done < shape[along]; done += chunk) {
    const std::int64_t size = std::min(chunk, shape[along] - done);
    for (std::int64_t i = 0; i < size; ++i) positions[i] = done + i;
    store(dtype, positions, size, result.data() + done * element);
  }
  result.shape = shape;
  result.strides = Sizes();
  result.strides.resize(shape.size());
  result.strides[along] = 1;
  return result;
}

SINTER_INLINE std::uint64_t word_of(const Array& x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, x.data(), sizeof(bits));
  return bits;
}

SINTER_INLINE Array random_bits(std::uint64_t seed, std::uint64_t offset, std::uint32_t number,
                                const Sizes& shape, Where where, std::int64_t begin) {
  const Array result = make_dense(i32, shape, where);
  std::int32_t* const to = reinterpret_cast<std::int32_t*>(result.data());
  const std::int64_t total = count(shape);
  for (std::int64_t first = 0; first < total; first += 4) {
    const PhiloxCounter words =
        random_words(seed, offset, number, static_cast<std::uint64_t>((begin + first) / 4));
    for (std::int64_t i = first; i < std::min(first + 4, total); ++i) {
      to[i] = std::bit_cast<std::int32_t>(words[static_cast<std::size_t>(i - first)]);
    }
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter
