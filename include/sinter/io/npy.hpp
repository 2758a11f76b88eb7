#pragma once
// Files of one tensor each, in NumPy's format.
// Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

#include <cstdint>      // std::uint64_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/io/elements.hpp>

namespace sinter::inline SINTER_ABI::io {

/// Replaces the file by one that numpy.load reads: `x`, row by row, in version 1 of the format.
///
/// DTypes   all but bf16, which NumPy does not have
/// Throws   DTypeError for bf16; IoError if the file cannot be written
void save_npy(const std::string& path, Operand x);

/// The tensor that numpy.save wrote. Versions 1 to 3 of the format, either order of axes and bytes.
///
/// Throws   IoError if the file cannot be read, or has no array of a dtype that sinter has
Tensor load_npy(const std::string& path, Where where = Where::current());

/// What stands in front of the elements.
struct NpyHeader {
  sinter::detail::TensorType type;  ///< Of the elements as they are in the file, row by row.
  bool has_reversed_bytes = false;  ///< The most significant byte comes first.
  bool has_reversed_axes = false;   ///< The tensor is the transpose of what `type` says.
};

/// The text of a header, without the bytes in front of it.
NpyHeader parse_npy_header(const Access& access, const std::string& entry, std::string_view header);

/// The array in the bytes [begin, end) of a file, which errors call `entry`.
Tensor read_npy(const InputFile& file, const std::string& entry, std::uint64_t begin,
                std::uint64_t end);

/// All that stands in front of the elements of a tensor of this type. Throws DTypeError for bf16.
std::string npy_header(const Access& access, const std::string& entry,
                       const sinter::detail::TensorType& type);

}  // namespace sinter::inline SINTER_ABI::io

#ifdef SINTER_DEFINITIONS
#include <sinter/io/npy.ipp>
#endif
