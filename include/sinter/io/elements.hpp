#pragma once
// Reads and writes the elements of a tensor as bytes of a file.

#include <cstdint>  // std::uint64_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/io/file.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI::io {

/// The shape of an entry, from `extents` in the file.
///
/// Throws IoError for more dimensions than tensors have, or 2^62 bytes or more
Shape require_shape(const Access& access, const std::string& entry, DType dtype,
                    sinter::detail::Span<const std::int64_t> extents);

/// The number of bytes of the elements of a type; sizes are numbers, or are fixed to numbers.
std::uint64_t bytes_of(const sinter::detail::TensorType& type, Where where = Where::current());

/// Reads elements from an offset of `file`, row-major, little-endian, or big-endian if `reversed`.
///
/// Throws IoError if the file ends early, or a boolean is neither 0 nor 1
Tensor read_elements(const InputFile& file, const std::string& entry, std::uint64_t offset,
                     const sinter::detail::TensorType& type, bool reversed = false);

/// Elements [first, first + count), in a row, with zeros behind the last.
Tensor read_flat_part(const InputFile& file, const std::string& entry, std::uint64_t offset,
                      const sinter::detail::TensorType& type, std::uint64_t first,
                      std::uint64_t count);

/// Evaluates `x` and writes its elements.
void write_elements(OutputFile& file, const Tensor& x);

}  // namespace sinter::inline SINTER_ABI::io

#ifdef SINTER_DEFINITIONS
#include <sinter/io/elements.ipp>
#endif
