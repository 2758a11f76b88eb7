#pragma once
// Files of named tensors in NumPy's format: archives of npy files.

#include <map>     // std::map
#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/io/npy.hpp>

namespace sinter::inline SINTER_ABI::io {

/// Replaces the file by one that numpy.load reads: a tensor for each name, not compressed.
///
/// DTypes   all but bf16, which NumPy does not have
/// Throws   DTypeError for bf16; ValueError for a tensor that is undefined, or a name of more than
///          65531 bytes; IoError if the file cannot be written
void save_npz(const std::string& path, const std::map<std::string, Tensor>& tensors,
              Where where = Where::current());

/// All tensors of a file that numpy.savez wrote, by name.
///
/// Throws   IoError if the file cannot be read, is compressed, or has arrays of dtypes that sinter
///          does not have
std::map<std::string, Tensor> load_npz(const std::string& path, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI::io

#ifdef SINTER_DEFINITIONS
#include <sinter/io/npz.ipp>
#endif
