#pragma once
// The safetensors format: a JSON header, then the elements of named tensors.
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

/// The text metadata of a file.
using Metadata = std::map<std::string, std::string>;

/// Writes these tensors, bit for bit. Replaces the file atomically: on failure it is unchanged.
///
/// Throws ValueError for an undefined tensor, or a name that is not UTF-8 or is __metadata__;
/// IoError if the file cannot be written
void save_tensors(const std::string& path, const std::map<std::string, Tensor>& tensors,
                  const Metadata& metadata = {}, Where where = Where::current());

/// Reads all tensors of a file.
///
/// Throws IoError if it cannot be read, or is not a safetensors file of supported dtypes
std::map<std::string, Tensor> load_tensors(const std::string& path, Where where = Where::current());

/// Reads the metadata of a file.
Metadata load_metadata(const std::string& path, Where where = Where::current());

/// A tensor in a file.
struct SafetensorsEntry {
  std::string name;
  sinter::detail::TensorType type;
  std::uint64_t offset = 0;  ///< The position of its first byte in the file.
  std::size_t file = 0;      ///< Which of several files.
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  ///< In file order.
  Metadata metadata{};
};

/// Reads and checks the header: the entries fill the file without gaps or overlaps.
SafetensorsHeader read_safetensors_header(const InputFile& file);
/// The same for the text of a header that is followed by `data_bytes` bytes.
SafetensorsHeader parse_safetensors_header(const Access& access, std::string_view header,
                                           std::uint64_t data_bytes);

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// Writes tensors, stably sorted by element size, widest first, so that each is aligned to its
/// elements.
void write_safetensors(OutputFile& file, NamedTensors tensors, const Metadata& metadata);

}  // namespace sinter::inline SINTER_ABI::io

#ifdef SINTER_DEFINITIONS
#include <sinter/io/safetensors.ipp>
#endif
