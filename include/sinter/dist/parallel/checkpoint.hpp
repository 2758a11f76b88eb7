#pragma once
// Checkpoints of all ranks: whole tensors, whatever is divided, and loaded at any number of ranks.

#include <map>     // std::map
#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/dist/collective/operations.hpp>
#include <sinter/io/shards.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// The state of a module of which tensors are divided: how, by the name of the parameter.
struct DividedState {
  io::detail::State state{};
  std::map<std::string, io::detail::StatePart> parts{};
  int group = 0;  ///< The ranks that have the parts.

  /// Finds what is divided among the slots and containers of `state`.
  void find_parts(std::string_view op, Where where);
};

void save_of_ranks(const io::Access& access, DividedState& state, dist::Group group);
io::LoadResult load_of_ranks(const io::Access& access, DividedState& state,
                             const io::LoadOptions& options, dist::Group group);

}  // namespace detail

namespace dist {

/// Writes the state of `module`, which all ranks of `group` have, to `folder`: each rank its part,
/// as io::save_sharded(), then the first the index. All ranks call it. What shard() has divided is
/// written whole, so that any number of ranks, and other tools, can load it. Until it returns, the
/// folder has the old checkpoint, whatever happens.
///
/// Throws IoError on all ranks if one of them cannot write; ValueError if ranks have different
///        values, RankError if one ends
template <class M>
void save(const std::string& folder, const M& module, Group group = {},
          Where where = Where::current()) {
  sinter::detail::DividedState state{io::detail::state_of(module)};
  state.find_parts("dist::save", where);
  sinter::detail::save_of_ranks({"dist::save", folder, where}, state, group);
}

/// Loads what save() wrote on any number of ranks, as io::load_sharded(). Call shard() before it,
/// if the training is sharded: a rank then reads only its part. All ranks call it.
///
/// Throws as io::load_sharded(), on all ranks if one of them fails; no module is changed then
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
