#pragma once
// An emulated NCCL between processes on this machine, which exchange files. A collective runs when
// its stream reaches it, and waits there for the other ranks; nothing else of its GPU runs
// meanwhile.

#include <cstddef>
#include <string>
#include <vector>

#include <sinter/dist/backend/nccl/table.hpp>

namespace emulator {

/// What NCCL did since the machine of the test began.
struct NcclWork {
  std::size_t enqueued = 0;  ///< Groups of calls that went to a stream,
  std::size_t captured = 0;  ///< and to a capture: nodes of graphs.
  std::size_t ran = 0;       ///< Collectives and messages that ran, those of graphs included.
  std::size_t communicators = 0;
};
NcclWork& nccl_work();

const sinter::detail::nccl::Functions& nccl_table();

/// One call: what it does, and the elements that it takes and gives.
struct NcclCall {
  enum class Kind { all_reduce, reduce, broadcast, reduce_scatter, all_gather, send, receive };
  Kind kind{};
  const void* in = nullptr;
  void* out = nullptr;
  std::size_t count = 0;
  int type = 0, reduction = 0, peer = 0;
};

/// The bytes of an element; 0 for a type that there is not.
std::size_t nccl_element_bytes(int type);
/// Reduces `parts`, one for each rank and each of `count` elements, in their order.
std::vector<char> nccl_reduced(const std::vector<std::vector<char>>& parts, std::size_t count,
                               int type, int reduction);

}  // namespace emulator
