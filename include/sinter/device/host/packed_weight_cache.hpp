#pragma once
// Packed weights: what is computed from a piece of memory, and kept until its bytes change.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t
#include <utility>  // std::exchange

#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>

namespace sinter::inline SINTER_ABI::detail {

struct PackedWeightEntry;

/// Memory for something that is derived from a storage, on loan for a call. It is handed out once
/// the same was asked for several times, with the bytes unchanged: what changes in each call would
/// be derived in each call. Safe across threads.
///
/// Its first 64 bytes are a head. Of these the first 8 are 0 while it is filled, and 1 from the
/// next loan on; whoever fills the rest sets the second 8 to 1. So threads that fill it together
/// agree on whether they do, however late one of them looks.
class PackedWeight {
 public:
  PackedWeight() = default;
  /// Asks for `bytes`, head included, that are derived from `source` in the way of `key`. There are
  /// none yet, or none at all: of borrowed memory, whose owner may change it; while another call
  /// fills it; if memory is short.
  PackedWeight(const Storage& source, const Hash& key, std::size_t bytes);
  PackedWeight(PackedWeight&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)), fills_(other.fills_) {}
  PackedWeight& operator=(PackedWeight&&) = delete;
  /// What this call should have filled, and did not, is given up until the next calls ask for it.
  ~PackedWeight();

  /// Null if there is none.
  void* data() const;

 private:
  detail::PackedWeightEntry* block_ = nullptr;  // null if there is no memory
  bool fills_ = false;                     // whether this call has to fill it
};

/// What was derived in this process so far.
struct PackedWeightStats {
  std::int64_t filled = 0;  ///< How many times.
  std::int64_t bytes = 0;   ///< That are in use now.
};

PackedWeightStats packed_weight_stats();

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/host/packed_weight_cache.ipp>
#endif
