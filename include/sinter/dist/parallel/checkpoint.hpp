#pragma once
// Checkpoints that all ranks write: of whole tensors, so that any number of ranks can load them.

#include <map>     // std::map
#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/dist/collective/operations.hpp>
#include <sinter/io/shards.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// The state of a module some of whose tensors are divided among ranks.
struct DividedState {
  io::detail::State state{};
  std::map<std::string, io::detail::StatePart> parts{};  ///< By the name of the parameter.
  int group = 0;                                         ///< The ranks that have the parts.

  /// Finds the divided tensors in the slots and containers of `state`.
  void find_parts(std::string_view op, Where where);
};

void save_of_ranks(const io::Access& access, DividedState& state, dist::Group group);
io::LoadResult load_of_ranks(const io::Access& access, DividedState& state,
                             const io::LoadOptions& options, dist::Group group);

}  // namespace detail

namespace dist {

/// Writes the state of `module`, which all ranks of `group` have, to `folder`: each rank writes a
/// file, as io::save_sharded() does, then rank 0 writes the index. All ranks call it. Tensors that
/// shard() has divided are written whole, so that any number of ranks, and other tools, can load
/// them. Until the index is written the folder has the old checkpoint, even after a failure.
///
/// Throws IoError on all ranks if one of them cannot write; ValueError if ranks have different
///        values of a tensor that is not divided; RankError if a rank fails
template <class M>
void save(const std::string& folder, const M& module, Group group = {},
          Where where = Where::current()) {
  sinter::detail::DividedState state{io::detail::state_of(module)};
  state.find_parts("dist::save", where);
  sinter::detail::save_of_ranks({"dist::save", folder, where}, state, group);
}

/// Loads what save() wrote on any number of ranks, as io::load_sharded() does. If training is
/// sharded, call shard() first: a rank then reads only its part. All ranks call it.
///
/// Throws as io::load_sharded(), on all ranks if one of them cannot read; then no module is changed
template <class M>
io::LoadResult load(const std::string& path, M& module, const io::LoadOptions& options = {},
                    Group group = {}, Where where = Where::current()) {
  sinter::detail::DividedState state{io::detail::state_of(module)};
  state.find_parts("dist::load", where);
  return sinter::detail::load_of_ranks({"dist::load", path, where}, state, options, group);
}

}  // namespace dist

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/parallel/checkpoint.ipp>
#endif
