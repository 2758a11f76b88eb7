#pragma once
// A graph with the inputs of one run: the unit that bisect() examines and minify() reduces.

#include <cstdint>  // std::int64_t, std::uint8_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/lower/options.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

struct Problem {
  Graph graph{};
  jit::LowerOptions options{};
  std::vector<std::int64_t> symbols{};  ///< The sizes of the symbols, by id.
  Vector<Storage> inputs{};             ///< In host memory.
};

/// `type` with the sizes of `problem`.
TensorType concrete(const Problem& problem, const TensorType& type);
std::size_t bytes_of(const Problem& problem, const TensorType& type);

/// The problem without symbols: each size is a number.
Problem with_numbers(Problem problem);
/// The same in f64 instead of narrower floating dtypes.
Problem widened(Problem problem);

/// The values `wanted` of the graph, as the interpreter computes them.
Vector<Storage> values_of(const Problem& problem, Span<const Value> wanted);

/// The nodes of `keep` alone. What they read of other nodes becomes inputs, with the values that
/// the interpreter computes; their results that none of them reads become outputs.
Problem part_of(const Problem& problem, const Vector<bool>& keep);
/// A part for each node that computes something, in the order of the graph; `nodes` are their ids.
Problem unfused(const Problem& problem, const Vector<NodeId>& nodes);
/// A problem that has only this node; its inputs have these types and values.
Problem problem_of(Node node, Span<const TensorType> types, Vector<Storage> values);

/// The same with made-up values: numbers from 0.5 to 2.25, and indices 0 and 1.
Problem with_made_inputs(Node node, Span<const TensorType> types);

/// The nodes that are neither inputs nor dead.
Vector<NodeId> operations_of(const Graph& graph);
/// The same without constants.
std::size_t operation_count(const Graph& graph);

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/fault/problem.ipp>
#endif
