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
  commit  ///< All ranks have reached the end of a step; each may now change its parameters.
};

/// "all_reduce"
std::string_view to_string(Kind kind);

struct Collective {
  Kind kind{};
  dist::Reduce reduce{};  ///< For all_reduce and reduce_scatter.
  int axis = 0;           ///< For all_gather, reduce_scatter and all_to_all.
  int peer = 0;           ///< The root, the destination of send, or the source of receive.
  int group = 0;
  /// Gathers a parameter or scatters a gradient of a sharded model; rewrites may move it.
  bool is_of_parameter = false;
  /// An all_reduce(sum) whose result all ranks use in the same way: each has the whole gradient.
  bool is_replicated = false;
  Where where{};
  bool on_gpu = false;
  int gradient = -1;  ///< The index of a gradient in dist::all_reduce(gradients), or -1.

  /// Whether the ranks divide `axis`.
  bool is_along_axis() const {
    return kind == Kind::all_gather || kind == Kind::reduce_scatter || kind == Kind::all_to_all;
  }
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
