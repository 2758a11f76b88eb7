#pragma once
// Kernels that are put together step by step, so that an order remains in which each unit runs
// behind what it needs.

#include <cstddef>  // std::size_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/lower/kernels.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// For each of `kernels`, which stand in an order in which they can run: those that read what it
/// wrote.
std::vector<std::vector<std::size_t>> followers_of(const std::vector<Lowered>& kernels);

/// Units of kernels, each a kernel at first and called as that is, in an order in which they can
/// run.
class Units {
 public:
  explicit Units(const std::vector<Lowered>& kernels);

  /// Whether no other unit has to run between `a` and `b`. Looks at those that stand there.
  bool may_join(std::size_t a, std::size_t b) const;
  /// Makes one unit of `a` and `b`, which may join; it is called `a`.
  void join(std::size_t a, std::size_t b);

 private:
  struct Between {
    std::size_t first = 0, last = 0;    ///< Places.
    std::vector<std::size_t> behind{};  ///< The units there that need the first, in order.
    bool is_needed = false;             ///< Whether the last needs one of those.
  };
  Between between(std::size_t a, std::size_t b) const;

  std::vector<std::vector<std::size_t>> followers_;  ///< Of each kernel.
  std::vector<std::size_t> unit_of_{};               ///< Of each kernel.
  std::vector<std::vector<std::size_t>> members_{};  ///< Of each unit.
  std::vector<std::size_t> order_{}, places_{};      ///< The unit at each place, and vice versa.
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/merge_order.ipp>
#endif
