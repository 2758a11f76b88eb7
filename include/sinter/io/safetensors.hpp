#pragma once
// Files of named tensors in the safetensors format: a header in JSON, then the elements.
// Source: https://huggingface.co/docs/safetensors, and the checks of its reference implementation.

#include <cstdint>      // std::uint64_t
#include <map>          // std::map
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <utility>      // std::pair
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/io/elements.hpp>

namespace sinter::inline SINTER_ABI::io {

/// Texts that a file carries beside its tensors.
using Metadata = std::map<std::string, std::string>;

/// Replaces the file by one with these tensors, bit for bit. If anything fails, the file is as it
/// was.
///
/// Throws ValueError for a tensor that is undefined, or a name that is no UTF-8 or __metadata__;
///        IoError if the file cannot be written
void save_tensors(const std::string& path, const std::map<std::string, Tensor>& tensors,
                  const Metadata& metadata = {}, Where where = Where::current());

/// All tensors of a file.
///
/// Throws IoError if it cannot be read, or is no safetensors file of dtypes that sinter has
std::map<std::string, Tensor> load_tensors(const std::string& path, Where where = Where::current());

/// The texts that the file carries.
Metadata load_metadata(const std::string& path, Where where = Where::current());

/// A tensor in a file.
struct SafetensorsEntry {
  std::string name;
  sinter::detail::TensorType type;
  std::uint64_t offset = 0;  ///< Of its first byte, from the start of the file.
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries{};  ///< In the order of their bytes.
  Metadata metadata{};
};

/// What the header says, all of it checked: the entries fill the file without holes or overlaps.
SafetensorsHeader read_safetensors_header(const InputFile& file);
/// The same, for a header without its length in front and `data_bytes` bytes behind it.
SafetensorsHeader parse_safetensors_header(const Access& access, std::string_view header,
                                           std::uint64_t data_bytes);

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// Writes tensors, the widest dtypes first, so that each is aligned to its elements. Otherwise they
/// keep their order.
void write_safetensors(OutputFile& file, NamedTensors tensors, const Metadata& metadata);

}  // namespace sinter::inline SINTER_ABI::io

#ifdef SINTER_DEFINITIONS
#include <sinter/io/safetensors.ipp>
#endif
