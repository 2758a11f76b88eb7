#pragma once
// Untyped memory of tensors: reference-counted, aligned for vectors, recycled without page faults.

#include <atomic>       // std::atomic
#include <cstddef>      // std::size_t
#include <cstdint>      // std::int64_t
#include <string_view>  // std::string_view
#include <type_traits>  // std::is_nothrow_swappable
#include <utility>      // std::exchange, std::swap

#include <sinter/base/where.hpp>
#include <sinter/device/host/allocation_failure.hpp>
#include <sinter/device/host/device.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// From this size on, blocks are aligned to huge pages and ask for them.
inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

// What belongs to the bytes of a piece of memory: deleted when they go, or are about to change.
struct Attachment {
  Attachment() = default;
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;
  virtual ~Attachment() { delete next; }
  Attachment* next = nullptr;
};

// The count and the address of one piece of memory; it stays with the memory when that is recycled.
struct StorageBlock {
  std::atomic<std::int64_t> references{1};
  void* data = nullptr;
  std::size_t bytes = 0;     // what the owner asked for
  std::size_t capacity = 0;  // what was allocated; 0 for borrowed memory
  StorageBlock* next = nullptr;
  std::int64_t freed = 0;  // when it became idle, by the allocator's count
  Device device{};
  void (*release)(void*) = nullptr;  // borrowed memory goes back to its owner
  void* owner = nullptr;
  std::atomic<Attachment*> attached{nullptr};
};

void recycle(StorageBlock* block) noexcept;

struct CudaMemory;

/// A piece of memory, shared by its copies: 8 bytes, one atomic increment to copy. Counting is safe
/// across threads; the bytes themselves are as safe as plain memory.
class Storage {
 public:
  Storage() = default;
  Storage(const Storage& other) noexcept : block_(other.block_) {
    if (block_) block_->references.fetch_add(1, std::memory_order_relaxed);
  }
  Storage(Storage&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Storage& operator=(Storage other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Storage() {
    if (block_ && block_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      detail::recycle(block_);
    }
  }

  /// Memory of its own, with any content; `bytes` may be 0. ValueError, which says what it is for,
  /// if there is not so much; DeviceError, with the reason, on a device that is not there.
  static Storage allocate(std::size_t bytes, Device device = cpu(), Where where = Where::current(),
                          std::string_view purpose = "a tensor");

  /// Memory from outside, which is never written and never given away; it must outlive the copies.
  static Storage borrow(const void* memory, std::size_t bytes);
  /// The same; `release(owner)` is called once, when no copy is left. It must not throw.
  static Storage borrow(const void* memory, std::size_t bytes, void (*release)(void*), void* owner);

  /// The first byte; null only if there is no memory at all. Of borrowed memory: read only. Of a
  /// GPU: an address for its driver and its kernels, which the host must not read or write; see
  /// device/cuda/copy.hpp.
  void* data() const { return block_ ? block_->data : nullptr; }
  std::size_t bytes() const { return block_ ? block_->bytes : 0; }
  Device device() const { return block_ ? block_->device : cpu(); }
  /// True if no copy is left: what is written here is seen by nobody else.
  bool unique() const { return block_ && block_->references.load(std::memory_order_acquire) == 1; }
  bool borrowed() const { return block_ && block_->capacity == 0; }
  explicit operator bool() const { return block_ != nullptr; }
  /// Forgets what was derived from the bytes, which are about to change; by their only holder.
  void drop_attachments() const noexcept {
    if (block_->attached.load(std::memory_order_relaxed)) delete block_->attached.exchange(nullptr);
  }
  /// True if both are the same memory.
  bool operator==(const Storage& other) const { return block_ == other.block_; }

 private:
  friend class PackedWeight;
  friend struct detail::CudaMemory;
  explicit Storage(detail::StorageBlock* block) : block_(block) {}

  detail::StorageBlock* block_ = nullptr;
};

static_assert(sizeof(Storage) == sizeof(void*));

}  // namespace detail

/// What Storage::allocate did on a device; sizes are those that were allocated, rounded up.
struct MemoryStats {
  std::int64_t allocations = 0;         ///< Calls of Storage::allocate.
  std::int64_t system_allocations = 0;  ///< Those that no idle block could serve.
  std::int64_t live_bytes = 0;          ///< In use now.
  std::int64_t peak_bytes = 0;          ///< The most that was in use since the last reset.
  std::int64_t idle_bytes = 0;          ///< Kept for the next allocations of the same size.
};

namespace detail {

// The same for GPUs; see device/cuda/memory.hpp.
struct CudaBlock;
struct CudaMemory {
  static Storage allocate(std::size_t bytes, Device device, Where where, std::string_view purpose);
  // See device/cuda/external_memory.hpp.
  static Storage borrow(Device device, const void* memory, std::size_t bytes,
                        void (*release)(void*), void* owner, Where where);
  static void give_back(CudaBlock* block) noexcept;

  static void recycle(StorageBlock* block) noexcept;
  static MemoryStats stats(Device device, Where where);
  static void reset_stats(Device device, Where where);
  static std::int64_t release_idle(Device device, Where where);
  static CudaBlock& block_of(const Storage& memory);
  static Storage at(Device device, const void* address);
};

}  // namespace detail

MemoryStats memory_stats(Device device = cpu(), Where where = Where::current());

/// Starts a new measurement: no allocations so far, and the peak is what is in use now.
void reset_memory_stats(Device device = cpu(), Where where = Where::current());

/// Gives idle blocks back to the system, or to the driver; gives their bytes.
std::int64_t release_idle_memory(Device device = cpu(), Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/device/host/storage.ipp>
#endif
