#pragma once
// NumPy's npy format: files with one tensor.
// Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

#include <cstdint>      // std::uint64_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/io/elements.hpp>

namespace sinter::inline SINTER_ABI::io {

/// Writes `x` for numpy.load, row-major, in version 1 of the format. Replaces the file atomically.
///
/// DTypes   all but bf16, which NumPy does not have
/// Throws   DTypeError for bf16; IoError if the file cannot be written
void save_npy(const std::string& path, Operand x);

/// Reads a tensor that numpy.save wrote: versions 1 to 3 of the format, either order of axes and
/// bytes.
///
/// Throws   IoError if the file cannot be read, or is not an array of a supported dtype
Tensor load_npy(const std::string& path, Where where = Where::current());

/// The header.
struct NpyHeader {
  sinter::detail::TensorType type;  ///< The type of the elements as stored, row-major.
  bool has_reversed_bytes = false;  ///< Big-endian.
  bool has_reversed_axes = false;   ///< Fortran order: the tensor is the transpose of `type`.
};

/// The text of a header, without the bytes in front of it.
NpyHeader parse_npy_header(const Access& access, const std::string& entry, std::string_view header);

/// The array in the bytes [begin, end) of a file, which errors call `entry`.
Tensor read_npy(const InputFile& file, const std::string& entry, std::uint64_t begin,
                std::uint64_t end);

/// The complete header for a tensor of this type. Throws DTypeError for bf16.
std::string npy_header(const Access& access, const std::string& entry,
                       const sinter::detail::TensorType& type);

}  // namespace sinter::inline SINTER_ABI::io

#ifdef SINTER_DEFINITIONS
#include <sinter/io/npy.ipp>
#endif
