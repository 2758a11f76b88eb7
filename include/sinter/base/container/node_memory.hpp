#pragma once
// Allocates the nodes of maps and sets in blocks, so that many nodes take few allocations.

#include <cstddef>  // std::size_t
#include <utility>  // std::swap

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Allocates nodes of one size, at least that of a pointer, from blocks that double in size. Nodes
/// never move. Later nodes reuse memory that was given back; release() frees all blocks at once.
class NodeMemory {
 public:
  NodeMemory() = default;
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;
  ~NodeMemory() { release(); }

  /// Memory for a node of `bytes`, which are the same in all calls.
  void* take(std::size_t bytes);
  /// Keeps the memory of a node that was destroyed.
  void give_back(void* node, std::size_t bytes) noexcept;
  /// Frees all memory. The nodes have been destroyed.
  void release() noexcept;

  void swap(NodeMemory& other) noexcept {
    std::swap(blocks_, other.blocks_);
    std::swap(free_, other.free_);
    std::swap(next_, other.next_);
    std::swap(left_, other.left_);
    std::swap(block_bytes_, other.block_bytes_);
  }

 private:
  struct Link {
    Link* next;
  };

  static constexpr std::size_t smallest_block = 256, largest_block = 8192;  // bytes

  static std::size_t aligned(std::size_t bytes) {
    constexpr std::size_t alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
    return (bytes + alignment - 1) / alignment * alignment;
  }
  void add_block(std::size_t bytes);

  Link* blocks_ = nullptr;
  Link* free_ = nullptr;  // nodes that were given back
  char* next_ = nullptr;  // the rest of the newest block, and its bytes
  std::size_t left_ = 0;
  std::size_t block_bytes_ = 0;  // of the newest block
};

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/base/container/node_memory.ipp>
#endif
