#pragma once
// Why in_blocks() left kernels apart.

#include <memory>  // std::shared_ptr
#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/lower/kernels.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {
struct Grouper;
}

/// What kernels were before in_blocks(), and the groups that it made of them.
class BlockReasons {
 public:
  /// `kernels` have to live as long as this. If they are `streams`, it is about in_streams().
  BlockReasons(const Graph& graph, const std::vector<Lowered>& kernels, bool streams = false);

  /// Why kernel `reader`, which loads `node`, and the kernel that writes it are two; empty if
  /// neither has a product, or if they are one.
  std::string reason(NodeId node, std::size_t reader) const;

 private:
  std::shared_ptr<const detail::Grouper> grouper_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/explain/row_tiles.ipp>
#endif
