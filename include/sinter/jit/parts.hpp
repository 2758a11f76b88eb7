#pragma once
// A graph in which members are compiled with options of their own, as parts that run one after the
// other.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int32_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/jit/lower.hpp>
#include <sinter/jit/variant.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Nodes that are compiled with the same options. Values have numbers: first the inputs of the
/// whole graph, then what parts compute.
struct Part {
  Graph graph{};
  LowerOptions options{};
  std::vector<std::size_t> inputs{};   ///< The values that its inputs are.
  std::vector<std::size_t> outputs{};  ///< The values that its outputs are.
  Runnable runnable{};                 ///< Once it is lowered.
};

struct Parts {
  std::vector<Part> list{};            ///< Each after those whose values it reads.
  std::vector<TensorType> values{};    ///< By number.
  std::vector<std::size_t> outputs{};  ///< The values that the outputs of the whole graph are.
};

/// Whether some node of `graph` is to be compiled otherwise than `options` say.
bool has_parts(const Graph& graph, const LowerOptions& options);

namespace detail {
/// With which options of their own the nodes are compiled.
void add_regions(Hasher& hasher, const Graph& graph);
}  // namespace detail

/// `graph`, cut where options change. What control flow repeats stays whole: it is compiled with
/// the options of the first member in it that has some.
Parts parts_of(const Graph& graph, const LowerOptions& options);

/// Compiles each part.
Lowered lower_parts(const Graph& graph, const LowerOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/parts.ipp>
#endif
