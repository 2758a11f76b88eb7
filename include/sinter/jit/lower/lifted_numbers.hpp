#pragma once
// The numbers of a graph as inputs of it, so that one program serves graphs that differ in them
// alone: in a factor, in the offset of a random draw, in where a slice starts.

#include <cstdint>  // std::uint64_t
#include <span>     // std::span
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// A constant of a graph, or where one of its slices starts.
struct GraphNumber {
  static constexpr int constant = -1;

  NodeId node = 0;
  int axis = constant;     ///< Of a slice.
  std::uint64_t bits = 0;  ///< As those of Constant; a start as an integer.
};

/// The bytes of `number` as an element of its dtype, from byte 0 on.
std::uint64_t element_of(const Constant& number);

/// The numbers of `graph`, but for those in bodies.
std::vector<GraphNumber> numbers_of(const Graph& graph);

/// A graph with more inputs, and what they are in this call.
struct LiftedNumbers {
  Graph graph{};
  std::vector<std::uint64_t> inputs{};  ///< Each holds an element of its dtype, from byte 0 on.
  std::vector<std::int64_t> symbols{};
};

/// `graph` in which those of its `numbers` that `are_inputs` says are inputs, behind its own:
/// constants as elements, starts of slices as symbols. It has no symbols of its own.
LiftedNumbers lift(const Graph& graph, std::span<const GraphNumber> numbers,
                   const std::vector<bool>& are_inputs);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/lifted_numbers.ipp>
#endif
