#pragma once
// Checkpoints in several safetensors files, with an index of the names, as Hugging Face saves them.

#include <map>     // std::map
#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/io/safetensors.hpp>

namespace sinter::inline SINTER_ABI::io {

/// Reads all tensors of a safetensors file; of the files that an index names (*.index.json); or of
/// a folder with model.safetensors or model.safetensors.index.json.
///
/// Throws IoError if a file cannot be read, the folder has neither, a shard lacks a tensor that the
/// index says it has, or two shards have one of the same name
std::map<std::string, Tensor> load_shards(const std::string& path, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI::io

#ifdef SINTER_DEFINITIONS
#include <sinter/io/shards.ipp>
#endif
