#pragma once
// What a loop hands from step to step, in two buffers that take turns: of the host or of a GPU.

#include <cstddef>  // std::byte, std::size_t
#include <cstdint>  // std::int64_t
#include <span>     // std::span
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

/// What is handed from step to step: read from one buffer, written to another, in turns.
class LoopState {
 public:
  // `results` and `others` are two buffers for each state, `bytes` their sizes.
  LoopState(std::span<void* const> results, std::span<void* const> others,
            std::span<const std::int64_t> bytes)
      : results_(results), others_(others), bytes_(bytes) {}

  // Where the next step writes, so that after `left` more steps the last has written the results.
  void** next(std::int64_t left) {
    const auto& buffers = left % 2 == 0 ? results_ : others_;
    next_.assign(buffers.begin(), buffers.end());
    return next_.data();
  }

  // Puts what is at `states` where it belongs, by copy(to, from, bytes).
  template <class Copy>
  void finish(std::span<void* const> states, Copy copy) const {
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (states[i] == results_[i] || bytes_[i] == 0) continue;
      copy(results_[i], states[i], static_cast<std::size_t>(bytes_[i]));
    }
  }

 private:
  std::span<void*const> results_, others_;
  std::span<const std::int64_t> bytes_;
  std::vector<void*> next_{};
};

/// The bytes of each state, of each slice of what a scan reads, then of what it writes: those of
/// `control` for the sizes of a call.
std::vector<std::int64_t> sizes_of(const schedule::Control& control,
                                   std::span<const std::int64_t> symbols);

/// Where step `index` of a sequence is, whose steps have `bytes` each.
inline void* step_at(void* first, std::int64_t index, std::int64_t bytes) {
  return static_cast<std::byte*>(first) + index * bytes;
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/host/loop_state.ipp>
#endif
