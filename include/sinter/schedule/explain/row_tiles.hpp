#pragma once
// Why row tiling did not fuse two kernels.

#include <string>  // std::string

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/lower/kernels.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {
struct TiledGroupBuilder;
}

/// The kernels before row tiling, and the tiled groups built from them.
class RowTileReasons {
 public:
  /// All have to outlive this. Where Target::streams(), the reasons are those of
  /// fuse_streaming_kernels().
  RowTileReasons(const Graph& graph, const Vector<LoweredKernel>& kernels, const Target& target);

  /// Why kernel `reader`, which loads `node`, is not fused with the kernel that writes it. Empty if
  /// neither has a product, or if they are one kernel.
  std::string reason(NodeId node, std::size_t reader) const;

 private:
  SharedPtr<const detail::TiledGroupBuilder> builder_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/explain/row_tiles.ipp>
#endif
