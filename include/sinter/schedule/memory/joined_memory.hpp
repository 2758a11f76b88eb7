#pragma once
// Places buffers back to back inside another one, so that joining or splitting copies nothing.

#include <algorithm>  // std::count

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

class MemoryJoiner {
 public:
  explicit MemoryJoiner(Plan& plan) : plan_(plan) {}

  void run() {
    for (std::size_t i = 0; i < plan_.launches.size(); ++i) {
      const Launch& launch = plan_.launches[i];
      if (launch.control < 0) continue;
      const Control& control = plan_.controls[launch.control];
      const Span<const std::int32_t> buffers = launch.buffers;
      const auto inputs = static_cast<std::size_t>(control.inputs);
      const auto results = static_cast<std::size_t>(control.results);
      if (control.joins) {
        join(buffers.subspan(0, inputs), buffers[inputs + results - 1],
             static_cast<std::ptrdiff_t>(i));
      }
      if (control.splits) join(buffers.subspan(inputs, results), buffers[inputs - 1], -1);
    }
  }

 private:
  Buffer& buffer(std::int32_t id) { return plan_.buffers[id]; }

  // Whether `id` is used once at most from launch `from` on.
  bool ends_at(std::int32_t id, std::ptrdiff_t from) const {
    std::ptrdiff_t uses = 0;
    for (auto i = static_cast<std::size_t>(from); i < plan_.launches.size(); ++i) {
      const Vector<std::int32_t>& buffers = plan_.launches[i].buffers;
      uses += std::count(buffers.begin(), buffers.end(), id);
    }
    return uses <= 1;
  }

  // `from` is the launch that reads the parts; -1 for the one that writes them.
  void join(Span<const std::int32_t> parts, std::int32_t whole, std::ptrdiff_t from) {
    std::int64_t begin = 0;
    for (const std::int32_t id : parts) {
      Buffer& part = buffer(id);
      if (!part.elements.is_number()) return;
      const bool may_move = part.home == Home::arena && part.whole < 0;
      if (may_move && (from < 0 || ends_at(id, from))) part.whole = whole, part.begin = begin;
      const auto size = static_cast<std::int64_t>(info(part.dtype).size);
      begin += (part.elements.number() * size + 63) / 64 * 64;
    }
  }

  Plan& plan_;
};

}  // namespace detail

/// Places the inputs of each control that `joins` inside its last result, and the results of each
/// control that `splits` inside its last input, at multiples of 64 bytes. A buffer keeps memory of
/// its own if it is joined and a later launch reads it, if it is an input or output of the graph,
/// or if its size is symbolic.
inline void join_memory(Plan& plan) { detail::MemoryJoiner(plan).run(); }

}  // namespace sinter::inline SINTER_ABI::detail::schedule
