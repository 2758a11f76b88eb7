#pragma once
// Untyped tensor memory: reference-counted, vector-aligned, recycled without page faults.

#include <cstddef>      // std::size_t
#include <cstdint>      // std::int64_t
#include <string_view>  // std::string_view
#include <utility>      // std::exchange, std::swap

#include <sinter/base/container/atomic.hpp>
#include <sinter/base/where.hpp>
#include <sinter/device/host/allocation_failure.hpp>
#include <sinter/device/host/device.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// Blocks of at least this size are aligned to huge pages and use them.
inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

// Data derived from the bytes of a block, deleted when they are freed or about to change: packed
// weights, or a host copy.
struct Attachment {
  Attachment() = default;
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;
  virtual ~Attachment() { delete next; }
  Attachment* next = nullptr;
};

// The reference count and address of a block; recycled with the block.
struct StorageBlock {
  Atomic<std::int64_t> references{1};
  void* data = nullptr;
  std::size_t bytes = 0;     // requested
  std::size_t capacity = 0;  // allocated; 0 for borrowed memory
  StorageBlock* next = nullptr;
  std::int64_t freed = 0;  // the allocator's count of freed blocks when this became idle

  void (*release)(void*) = nullptr;  // returns borrowed memory to its owner
  void* owner = nullptr;

  Device device{};  // shares a cache line with the members of CudaBlock
  Atomic<Attachment*> attached{nullptr};
};

void recycle(StorageBlock* block) noexcept;

struct CudaMemory;

/// A block of memory shared by its copies: 8 bytes, one atomic increment to copy. The reference
/// count is thread-safe; access to the bytes is not synchronized.
class Storage {
 public:
  Storage() = default;
  Storage(const Storage& other) noexcept : block_(other.block_) {
    if (block_) block_->references.fetch_add(1, MemoryOrder::relaxed);
  }
  Storage(Storage&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Storage& operator=(Storage other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Storage() {
    if (block_ && block_->references.fetch_sub(1, MemoryOrder::acq_rel) == 1) {
      detail::recycle(block_);
    }
  }

  /// Uninitialized memory; `bytes` may be 0. ValueError, naming `purpose`, if memory runs out;
  /// DeviceError, with the reason, if the device does not exist.
  static Storage allocate(std::size_t bytes, Device device = cpu(), Where where = Where::current(),
                          std::string_view purpose = "a tensor");

  /// Host memory of zeros. Large blocks from the system are zero already, and not written.
  static Storage zeros(std::size_t bytes, Where where);

  /// Borrows memory, which is never written and never recycled; it must outlive the copies.
  static Storage borrow(const void* memory, std::size_t bytes);
  /// The same; `release(owner)` is called once, when no copy is left. It must not throw.
  static Storage borrow(const void* memory, std::size_t bytes, void (*release)(void*), void* owner);

  /// The address; null only without memory. Borrowed memory is read-only. GPU memory must not be
  /// accessed by the host; see device/host/copy.hpp.
  void* data() const { return block_ ? block_->data : nullptr; }
  std::size_t bytes() const { return block_ ? block_->bytes : 0; }
  Device device() const { return block_ ? block_->device : cpu(); }
  /// True if this is the only reference, so that nobody else sees writes.
  bool unique() const { return block_ && block_->references.load(MemoryOrder::acquire) == 1; }
  bool borrowed() const { return block_ && block_->capacity == 0; }
  explicit operator bool() const { return block_ != nullptr; }
  /// Deletes the attachments, because the bytes are about to change. Only for the sole holder.
  void drop_attachments() const noexcept {
    if (block_->attached.load(MemoryOrder::relaxed)) delete block_->attached.exchange(nullptr);
  }
  /// True if both share the same block.
  bool operator==(const Storage& other) const { return block_ == other.block_; }

 private:
  friend class PackedWeight;
  friend struct detail::CudaMemory;
  explicit Storage(detail::StorageBlock* block) : block_(block) {}

  detail::StorageBlock* block_ = nullptr;
};

static_assert(sizeof(Storage) == sizeof(void*));

}  // namespace detail

/// Statistics of Storage::allocate on a device; byte counts are rounded-up block sizes.
struct MemoryStats {
  std::int64_t allocations = 0;         ///< Calls of Storage::allocate.
  std::int64_t system_allocations = 0;  ///< Allocations that no idle block could serve.
  std::int64_t live_bytes = 0;          ///< In use now.
  std::int64_t peak_bytes = 0;          ///< The peak of live_bytes since the last reset.
  std::int64_t idle_bytes = 0;          ///< In idle blocks, for later allocations.
};

MemoryStats memory_stats(Device device = cpu(), Where where = Where::current());

/// Resets the counters to 0 and the peak to the bytes in use now.
void reset_memory_stats(Device device = cpu(), Where where = Where::current());

/// Frees idle blocks, to the system or the driver; returns their bytes.
std::int64_t release_idle_memory(Device device = cpu(), Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/device/host/storage.ipp>
#endif
