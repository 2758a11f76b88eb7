#pragma once
// Large scratch memory of host kernels, which threads keep: malloc() would map it anew, page by
// page, in each launch.

#include <cstddef>    // std::size_t
#include <exception>  // std::exception
#include <utility>    // std::exchange

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/per_thread.hpp>
#include <sinter/compile/unit/module.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// What the text of kernels calls: see "Scratch" in codegen/cpp/prelude/memory.hpp.
struct ScratchMemory {
  void* (*take)(long bytes);  ///< Null if memory runs out.
  void (*give)(void* block);
};

namespace detail {

// The blocks of a thread. They stay in the caches of its core, and no other thread waits for them.
class ThreadScratch {
 public:
  void* take(std::size_t bytes) {
    Block* found = nullptr;
    for (Block& one : blocks_) {
      const bool fits = !one.is_taken && one.storage.bytes() >= bytes;
      if (fits && (found == nullptr || one.storage.bytes() < found->storage.bytes())) found = &one;
    }
    if (found == nullptr) found = &add(bytes);
    found->is_taken = true;
    return found->storage.data();
  }

  void give(const void* data) {
    for (Block& one : blocks_) {
      if (one.storage.data() == data) one.is_taken = false;
    }
  }

 private:
  struct Block {
    Storage storage{};
    bool is_taken = false;
  };

  // Replaces a block that is too small, so that there are never more than were taken at once.
  Block& add(std::size_t bytes) {
    const auto small = find_if(blocks_, [](const Block& one) { return !one.is_taken; });
    if (small != blocks_.end()) blocks_.erase(small);
    blocks_.push_back({Storage::allocate(bytes, cpu(), {}, "the scratch memory of a kernel")});
    return blocks_.back();
  }

  Vector<Block> blocks_{};
};

inline void* take_scratch(long bytes) {
  try {
    return per_thread<ThreadScratch>().take(static_cast<std::size_t>(bytes));
  } catch (const std::exception&) {  // kernels know no exceptions
    return nullptr;
  }
}

inline void give_scratch(void* block) { per_thread<ThreadScratch>().give(block); }

}  // namespace detail

inline const ScratchMemory& scratch_memory() {
  static constexpr ScratchMemory blocks{detail::take_scratch, detail::give_scratch};
  return blocks;
}

/// Makes the kernels of `module` use scratch_memory().
inline void provide_scratch_memory(const compiler::Module& module) {
  const compiler::Binary* last = nullptr;
  for (std::size_t i = 0; i < module.size(); ++i) {
    const compiler::Binary* const binary = module.kernel(i).binary.get();
    if (binary == nullptr || std::exchange(last, binary) == binary) continue;
    void* const used = binary->symbol("sinter_scratch_memory");
    if (used == nullptr) continue;
    __atomic_store_n(static_cast<const ScratchMemory**>(used), &scratch_memory(), __ATOMIC_RELEASE);
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
