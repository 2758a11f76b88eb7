#pragma once
// The double-buffered state of a loop, on the host or on a GPU.

#include <cstddef>  // std::byte, std::size_t
#include <cstdint>  // std::int64_t
#include <vector>   // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

/// The state of a loop: each step reads one of two buffers and writes the other.
class LoopState {
 public:
  // `results` and `alternates` are the two buffers of each state, `bytes` their sizes.
  LoopState(Span<void* const> results, Span<void* const> alternates, Span<const std::int64_t> bytes)
      : results_(results), alternates_(alternates), bytes_(bytes) {}

  // The buffers that the next step writes. `left` steps follow it, and the last of all steps writes
  // `results`.
  void** next(std::int64_t left) {
    const auto& buffers = left % 2 == 0 ? results_ : alternates_;
    next_.assign(buffers.begin(), buffers.end());
    return next_.data();
  }

  // Copies the final `states` to the results, by copy(to, from, bytes), unless they are there.
  template <class Copy>
  void write_results(Span<void* const> states, Copy copy) const {
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (states[i] == results_[i] || bytes_[i] == 0) continue;
      copy(results_[i], states[i], static_cast<std::size_t>(bytes_[i]));
    }
  }

 private:
  Span<void*const> results_, alternates_;
  Span<const std::int64_t> bytes_;
  Vector<void*> next_{};
};

/// The bytes of each state of `control`, then of each slice that a scan reads, then of each slice
/// that it writes, for the sizes of a call.
std::vector<std::int64_t> sizes_of(const schedule::Control& control,
                                   Span<const std::int64_t> symbols);

/// The address of slice `index` of a sequence, whose slices have `bytes` each.
inline void* step_at(void* first, std::int64_t index, std::int64_t bytes) {
  return static_cast<std::byte*>(first) + index * bytes;
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/host/loop_state.ipp>
#endif
