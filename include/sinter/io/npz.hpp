#pragma once
// NumPy's npz format: archives of npy files.

#include <map>     // std::map
#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/io/npy.hpp>

namespace sinter::inline SINTER_ABI::io {

/// Writes named tensors for numpy.load, uncompressed. Replaces the file atomically.
///
/// DTypes   all but bf16, which NumPy does not have
/// Throws   DTypeError for bf16; ValueError for an undefined tensor, or a name of more than 65531
///          bytes; IoError if the file cannot be written
void save_npz(const std::string& path, const std::map<std::string, Tensor>& tensors,
              Where where = Where::current());

/// Reads all tensors of a file that numpy.savez wrote, by name.
///
/// Throws   IoError if the file cannot be read, is compressed, or has arrays of unsupported dtypes
std::map<std::string, Tensor> load_npz(const std::string& path, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI::io

#ifdef SINTER_DEFINITIONS
#include <sinter/io/npz.ipp>
#endif
