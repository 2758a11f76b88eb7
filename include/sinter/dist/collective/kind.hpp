#pragma once
// Collective: what one collective does, as data.

#include <cstdint>      // std::uint8_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/dist/collective/reduce.hpp>

namespace sinter::inline SINTER_ABI::detail::collective {

enum class Kind : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  reduce,  ///< The root gets the sum, others zeros: the gradient of broadcast.
  all_to_all,
  barrier,
  send,
  receive,
  commit  ///< All ranks have come to the end of a step; then each changes its parameters.
};

/// "all_reduce"
std::string_view to_string(Kind kind);

struct Collective {
  Kind kind{};
  dist::Reduce reduce{};  ///< Of all_reduce and reduce_scatter.
  int axis = 0;           ///< Of all_gather, reduce_scatter and all_to_all.
  int peer = 0;           ///< The root of broadcast and reduce; whom send and receive talk to.
  int group = 0;
  bool is_of_parameter = false;  ///< Of a sharded model; its place in a graph may be chosen.
  /// An all_reduce(sum) whose result all ranks use alike, so that its gradient is that of one rank.
  bool is_replicated = false;
  Where where{};
  int gradient = -1;  ///< The number of a gradient that all ranks share; -1 for other tensors.

  bool is_between_two() const { return kind == Kind::send || kind == Kind::receive; }
};

/// "dist::all_reduce", as errors name it.
std::string op_of(const Collective& collective);
/// "all_reduce(sum)", "all_gather(axis 0)"
std::string described(const Collective& collective);

}  // namespace sinter::inline SINTER_ABI::detail::collective

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/collective/kind.ipp>
#endif
