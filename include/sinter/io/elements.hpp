#pragma once
// The elements of a tensor as bytes of a file: how many they are, and reading them.

#include <cstdint>  // std::uint64_t
#include <span>     // std::span
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/io/file.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI::io {

/// The shape of `extents`, which a file says an entry has.
///
/// Throws IoError for more dimensions than tensors have, or 2^62 bytes or more
Shape require_shape(const Access& access, const std::string& entry, DType dtype,
                    std::span<const std::int64_t> extents);

/// The bytes of the elements of a type, whose sizes are numbers, or become some.
std::uint64_t bytes_of(const sinter::detail::TensorType& type, Where where = Where::current());

/// Elements that start at a byte of `file`, row by row, the least significant byte first, or last
/// if they are `reversed`.
///
/// Throws IoError if the file ends before, or a boolean is neither 0 nor 1
Tensor read_elements(const InputFile& file, const std::string& entry, std::uint64_t offset,
                     const sinter::detail::TensorType& type, bool reversed = false);

/// Writes the elements of `x`, which are evaluated first.
void write_elements(OutputFile& file, const Tensor& x);

}  // namespace sinter::inline SINTER_ABI::io

#ifdef SINTER_DEFINITIONS
#include <sinter/io/elements.ipp>
#endif
