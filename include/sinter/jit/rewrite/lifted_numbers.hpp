#pragma once
// Lifts the constants of a graph to inputs, so that one program serves graphs that differ only in a
// factor, the offset of a random draw, or the start of a slice.

#include <cstdint>  // std::uint64_t
#include <vector>   // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// A constant of a graph, or the start of a slice.
struct GraphNumber {
  static constexpr int constant = -1;

  NodeId node = 0;
  int axis = constant;     ///< Of a slice.
  std::uint64_t bits = 0;  ///< Those of Constant; for a start, the integer.
};

/// The bytes of `number` as an element of its dtype, from byte 0 on.
std::uint64_t element_of(const Constant& number);

/// The constants and slice starts of `graph`, without those in bodies.
Vector<GraphNumber> numbers_of(const Graph& graph);

/// A graph with lifted constants, and their values.
struct LiftedNumbers {
  Graph graph{};
  Vector<std::uint64_t> inputs{};  ///< Each holds an element of its dtype, from byte 0 on.
  std::vector<std::int64_t> symbols{};
};

/// `graph` with those of its `numbers` as further inputs for which `are_inputs` is true: constants
/// as elements, slice starts as symbols. `graph` has no symbols.
LiftedNumbers lift(const Graph& graph, Span<const GraphNumber> numbers,
                   const Vector<bool>& are_inputs);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/rewrite/lifted_numbers.ipp>
#endif
