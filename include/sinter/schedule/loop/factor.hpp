#pragma once
// Splits loops over merged axes where accesses divide the loop variable, as after a reshape.

#include <cstddef>  // std::size_t

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/ir/target.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/schedule/loop/vectorize.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/node.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Calls visit(dividend, divisor) for each quotient and remainder in `extent`.
inline void for_each_division(Extent extent, FunctionRef<void(Extent, Extent)> visit) {
  for (const ExtentTerm& term : terms_of(extent)) {
    for (const Extent factor : factors_of(term.monomial)) {
      const ExtentNode& node = *factor.node();
      if (factor.is_variable()) continue;
      if (node.kind == ExtentKind::floor_div || node.kind == ExtentKind::mod) {
        visit(node.operands[0], node.operands[1]);
      }
      for (const Extent operand : node.operands) for_each_division(operand, visit);
    }
  }
}

namespace detail {

/// Splits the loops of a kernel.
class Factorer {
 public:
  Factorer(Kernel& kernel, const LoopLimits& limits)
      : kernel_(kernel), limits_(limits), next_range_(next_range(kernel)) {}

  /// The last of `loops` may be vectorized.
  void factor(Vector<Loop>& loops) {
    for (std::size_t i = loops.size(); i-- > 0;) {
      // The outer loop may be split again.
      while (const Optional<Loop> inner = factored(loops[i], i + 1 == loops.size())) {
        const Loop outer = outer_;
        const Extent variable = loops[i].variable;
        for (Stage& stage : kernel_.stages) insert(stage.loops, variable, outer, *inner);
        insert(kernel_.grid, variable, outer, *inner);
        if (outer.variable.is_number()) break;
      }
    }
  }

  /// Splits the last of `loops`, which is `guarded` if its extent has a remainder.
  void split_phases(Vector<Loop>& loops) {
    const Loop loop = loops.back();
    const Extent divisor = phases_of(loop);
    if (same(divisor, 0)) return;
    const bool divides = proven_divisible(loop.extent, divisor);
    if (!divides && can_fault(kernel_)) return;
    const Vector<Instruction> before = kernel_.instructions;
    const std::size_t count = divisions(loop.variable);
    const Extent times = ceil_div(loop.extent, divisor);
    const Loop phase{Extent::range(next_range_, divisor), divisor};
    const Loop inner{Extent::range(next_range_ + 1, times), times};
    const Extent position = inner.variable * divisor + phase.variable;
    substitute_all(kernel_, {{loop.variable, position}});
    if (divisions(inner.variable) > 0 || divisions(phase.variable) > count) {
      kernel_.instructions = before;
      return;
    }
    for (Instruction& one : kernel_.instructions) {
      const bool accesses = one.code == Code::load || one.code == Code::store;
      if (!divides && accesses) one.guards.push_back({position, 0, loop.extent});
    }
    loops.back() = phase;
    loops.push_back(inner);
  }

 private:
  static void insert(Vector<Loop>& loops, Extent variable, const Loop& outer, const Loop& inner) {
    for (std::size_t i = 0; i < loops.size(); ++i) {
      if (!same(loops[i].variable, variable)) continue;
      loops[i] = outer;
      loops.insert(loops.begin() + static_cast<std::ptrdiff_t>(i) + 1, inner);
      return;
    }
  }

  void for_each_division(FunctionRef<void(Extent dividend, Extent divisor)> visit) {
    for (Instruction& instruction : kernel_.instructions) {
      for_each_extent(instruction,
                      [&](Extent& extent) { schedule::for_each_division(extent, visit); });
    }
  }

  std::size_t divisions(Extent variable) {
    std::size_t result = 0;
    for_each_division([&](Extent dividend, Extent) { result += depends_on(dividend, variable); });
    return result;
  }

  // The smallest divisor of the loop variable in any access that also divides the extent; 0 if
  // none.
  Extent divisor_of(const Loop& loop) {
    Extent least = 0;
    for_each_division([&](Extent dividend, Extent divisor) {
      if (!same(dividend, loop.variable) || !proven_divisible(loop.extent, divisor)) return;
      const bool first = same(least, 0);
      if (first || proven_less(divisor, least)) least = divisor;
    });
    return least;
  }

  // The smallest number that accesses divide the variable of `loop` by, after adding a number to
  // it; 0 if none is too small for factor().
  Extent phases_of(const Loop& loop) {
    Extent least = 0;
    if (loop.variable.is_number() || bounds(loop.extent).max < 2 * limits_.short_row) return least;
    for_each_division([&](Extent dividend, Extent divisor) {
      if (!divisor.is_number() || divisor.number() >= limits_.short_row) return;
      if (!(dividend - loop.variable).is_number()) return;
      if (same(least, 0) || divisor.number() < least.number()) least = divisor;
    });
    return least;
  }

  // Splits `loop` in all accesses: returns the inner loop, and sets `outer_` to the outer one.
  // Nothing if the split would not remove divisions.
  Optional<Loop> factored(const Loop& loop, bool vectorized) {
    if (loop.variable.is_number() || loop.unroll != 1) return std::nullopt;
    const Extent divisor = divisor_of(loop);
    if (same(divisor, 0) || same(divisor, 1)) return std::nullopt;
    if (vectorized && bounds(divisor).max < limits_.short_row) return std::nullopt;
    const Vector<Instruction> before = kernel_.instructions;
    const std::size_t count = divisions(loop.variable);
    const Extent times = floor_div(loop.extent, divisor);
    const Loop inner{Extent::range(next_range_, divisor), divisor};
    outer_ = {Extent::range(next_range_ + 1, times), times};
    substitute_all(kernel_, {{loop.variable, outer_.variable * divisor + inner.variable}});
    if (divisions(inner.variable) > 0 || divisions(outer_.variable) >= count) {
      kernel_.instructions = before;
      return std::nullopt;
    }
    next_range_ += 2;
    return inner;
  }

  Kernel& kernel_;
  const LoopLimits& limits_;
  std::uint32_t next_range_;
  Loop outer_{};
};

}  // namespace detail

/// Splits each loop r whose accesses read r // c and r % c, for a c that divides its extent: a
/// reshape after a permute reads so. Strided accesses become contiguous. Leaves scans, sorts,
/// partial reductions and row-tiled kernels alone, and loops whose inner loop would be too short
/// for vectors.
inline void factor_loops(Kernel& kernel, const LoopLimits& limits = {}) {
  if (has(kernel, Code::sort) || has(kernel, Code::scan) || is_row_tiled(kernel)) return;
  if (has(kernel, Code::combine)) return;  // its inner loops depend on the outer one
  detail::Factorer factorer(kernel, limits);
  factorer.factor(kernel.grid);
  for (Stage& stage : kernel.stages) factorer.factor(stage.loops);
}

/// Splits the last grid loop r of a kernel without row loops whose accesses read (r + b) // c and
/// (r + b) % c for a number c that is too small for factor_loops(), as the gradient of windows with
/// a stride does: the outer loop is over r % c, the inner one over r // c. Accesses are contiguous
/// or strided along it, and what depends on the remainder is the same for all of its iterations.
inline void split_phases(Kernel& kernel, const LoopLimits& limits = {}) {
  if (kernel.grid.empty() || loop_stage(kernel) != nullptr || has(kernel, Code::combine)) return;
  if (kernel.grid.back().unroll != 1 || is_row_tiled(kernel)) return;
  detail::Factorer(kernel, limits).split_phases(kernel.grid);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
