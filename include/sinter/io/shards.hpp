#pragma once
// Checkpoints in several safetensors files, with an index of the names, as Hugging Face saves them.

#include <cstdint>  // std::int64_t
#include <map>      // std::map
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/io/checkpoint.hpp>
#include <sinter/io/safetensors.hpp>

namespace sinter::inline SINTER_ABI::io {

/// Reads all tensors of a safetensors file; of the files that an index names (*.index.json); or of
/// a folder with model.safetensors or model.safetensors.index.json.
///
/// Throws IoError if a file cannot be read, the folder has neither, a shard lacks a tensor that the
/// index says it has, or two shards have one of the same name
std::map<std::string, Tensor> load_shards(const std::string& path, Where where = Where::current());

/// Which of the processes that save a checkpoint this one is.
struct ShardOptions {
  int rank = 0;
  int ranks = 1;
};

namespace detail {

/// Throws GraphBreakError inside a recording.
void require_no_recording(const Access& access);
/// Throws ValueError unless 0 <= rank < ranks.
void require_rank(const Access& access, const ShardOptions& options);

/// Assigns each slot to the rank that writes it: in descending order of size, to the rank with the
/// fewest bytes so far. All ranks compute the same assignment.
std::vector<int> owners(const State& state, int ranks, Where where);

/// Hashes names, dtypes and shapes of what is saved, to find ranks that save something else.
std::string hash_of_state(const State& state, Where where);

/// Makes the folder of a checkpoint, if there is none.
void make_folder(const Access& access);

/// The number of the next save to a folder: one more than that of its index.
std::int64_t next_save(const Access& access);

/// Writes the file of a rank: `tensors`, of a state with this hash.
void save_shard(const Access& access, NamedTensors tensors, const std::string& hash,
                const ShardOptions& options, std::int64_t save);
/// The same for the tensors that this rank owns of a state of whole tensors.
void save_own_shard(const Access& access, const State& state, const ShardOptions& options);

LoadResult load_sharded_state(const Access& access, State& state, const LoadOptions& options);

}  // namespace detail

/// Writes the part of `module` that falls to `rank` to a file of its own in `folder`, which is made
/// if there is none. The ranks have modules with the same values; each tensor is written once. What
/// the folder has is not touched: loading gives the old checkpoint until commit_sharded() is
/// called, after all ranks have returned from here.
///
/// Throws IoError if the file cannot be written, or the folder has a checkpoint in one file;
///        ValueError unless 0 <= rank < ranks, or if two tensors have the same name
template <class M>
void save_sharded(const std::string& folder, const M& module, ShardOptions options = {},
                  Where where = Where::current()) {
  static_assert(detail::HasState<M>,
                "sinter::io::save_sharded(folder, module) requires a module: list the members of "
                "the struct with SINTER_MODULE");
  if constexpr (detail::HasState<M>) {  // keeps the static_assert above the only error
    detail::save_own_shard({"io::save_sharded", folder, where}, detail::state_of(module), options);
  }
}

/// Makes the files of all `ranks` the checkpoint of the folder, by writing the index
/// model.safetensors.index.json, in one step; then removes those of the checkpoint before. Called
/// by one process.
///
/// Throws IoError if the file of a rank is missing or damaged, or ranks saved different modules;
/// the
///        old checkpoint is whole then
void commit_sharded(const std::string& folder, int ranks, Where where = Where::current());

/// Loads what save_sharded() wrote, on any number of ranks, into `module`, as load() does. `path`
/// is a folder, an index, or a single file; checkpoints of Hugging Face are read, too.
///
/// Throws as load(); IoError if the save was not committed, or a file is missing or damaged
template <class M>
LoadResult load_sharded(const std::string& path, M& module, const LoadOptions& options = {},
                        Where where = Where::current()) {
  static_assert(detail::HasState<M>,
                "sinter::io::load_sharded(path, module) requires a module: list the members of the "
                "struct with SINTER_MODULE");
  if constexpr (detail::HasState<M>) {  // keeps the static_assert above the only error
    detail::State state = detail::state_of(module);
    return detail::load_sharded_state({"io::load_sharded", path, where}, state, options);
  } else {
    return {};
  }
}

}  // namespace sinter::inline SINTER_ABI::io

#ifdef SINTER_DEFINITIONS
#include <sinter/io/shards.ipp>
#endif
