#pragma once
// The packed-weight cache: panels packed from a storage, kept until its bytes change.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t
#include <utility>  // std::exchange

#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>

namespace sinter::inline SINTER_ABI::detail {

struct PackedWeightEntry;

/// A cached packed weight, borrowed for a call. The cache allocates it at the third request with
/// unchanged bytes: weights that change in each call are not worth packing. Thread-safe.
///
/// Its first 64 bytes are a header. Its first 8 bytes are 0 during the call that fills it, and 1
/// from the next call on; the kernel that fills it sets the second 8 bytes to 1. So all threads of
/// a call agree on whether to fill it, however late one of them reads the header.
class PackedWeight {
 public:
  PackedWeight() = default;
  /// Requests `bytes`, header included, packed from `source` in the layout of `key`. Empty before
  /// the third request, for borrowed memory, whose owner may change it, while another call fills
  /// it, and if memory runs out.
  PackedWeight(const Storage& source, const Hash& key, std::size_t bytes);
  PackedWeight(PackedWeight&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)), fills_(other.fills_) {}
  PackedWeight& operator=(PackedWeight&&) = delete;
  /// Frees the memory if this call had to fill it and did not.
  ~PackedWeight();

  /// Null if there is none.
  void* data() const;

 private:
  detail::PackedWeightEntry* block_ = nullptr;  // null if there is no memory
  bool fills_ = false;                          // whether this call has to fill it
};

/// Statistics of the packed-weight cache of this process.
struct PackedWeightStats {
  std::int64_t filled = 0;  ///< Weights packed so far.
  std::int64_t bytes = 0;   ///< In use now.
};

PackedWeightStats packed_weight_stats();

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/host/packed_weight_cache.ipp>
#endif
