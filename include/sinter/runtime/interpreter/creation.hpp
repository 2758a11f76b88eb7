#pragma once
// Operations without tensor inputs, in the interpreter: constant, iota, random bits.

#include <sinter/base/constant.hpp>
#include <sinter/runtime/interpreter/array.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

/// A broadcast view of one element.
Array constant(const Constant& value, const Sizes& shape, Where where);
/// The position along `axis`, converted to `dtype`.
Array iota(DType dtype, const Sizes& shape, std::int64_t axis, Where where);
/// The first element of `x`, 64 bits: a seed or an offset.
std::uint64_t word_of(const Array& x);
/// The words of random_words() in base/philox.hpp as i32, one per row-major position from `begin`
/// on, a multiple of 4.
Array random_bits(std::uint64_t seed, std::uint64_t offset, std::uint32_t number,
                  const Sizes& shape, Where where, std::int64_t begin = 0);

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/interpreter/creation.ipp>
#endif
