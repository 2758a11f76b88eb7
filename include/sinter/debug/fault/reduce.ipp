#pragma once

#include <algorithm>  // std::max, std::reverse
#include <cmath>      // std::round
#include <cstring>    // std::memcpy
#include <exception>  // std::exception
#include <utility>    // std::move

#include <sinter/base/constant.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/debug/fault/reduce.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/graph/verify.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

namespace detail {

SINTER_INLINE Vector<bool> mask_of(const Graph& graph, Span<const NodeId> nodes) {
  Vector<bool> result(graph.nodes.size());
  for (const NodeId id : nodes) result[id] = true;
  return result;
}

// Removes chunks of nodes, of half of them and then fewer, as long as the rest fails.
class GraphReducer {
 public:
  GraphReducer(Problem problem, StillFails fails) : problem_(std::move(problem)), fails_(fails) {}

  Problem run() {
    one_output();
    Vector<NodeId> kept = operations_of(problem_.graph);
    kept = first_half_that_fails(std::move(kept));
    for (std::size_t size = std::max<std::size_t>(kept.size() / 2, 1);; size /= 2) {
      kept = without_chunks(std::move(kept), size);
      if (size == 1) break;
    }
    return try_part(kept) ? std::move(last_) : std::move(problem_);
  }

 private:
  // The problem with the first output that fails alone.
  void one_output() {
    const Vector<Value> outputs = problem_.graph.outputs;
    for (const Value output : outputs) {
      if (outputs.size() == 1) return;
      Problem candidate = problem_;
      candidate.graph.outputs = {output};
      candidate.options.updates.clear();
      for (schedule::Update update : problem_.options.updates) {
        if (outputs[static_cast<std::size_t>(update.output)] != output) continue;
        update.output = 0;
        candidate.options.updates.push_back(update);
      }
      if (!fails_(candidate)) continue;
      problem_ = std::move(candidate);
      return;
    }
  }

  bool try_part(const Vector<NodeId>& nodes) {
    if (nodes.empty()) return false;
    last_ = part_of(problem_, mask_of(problem_.graph, nodes));
    return fails_(last_);
  }

  // By bisection: the shortest beginning of the list that fails. What comes after it is readers.
  Vector<NodeId> first_half_that_fails(Vector<NodeId> nodes) {
    std::size_t works = 0, fails = nodes.size();
    while (works + 1 < fails) {
      const std::size_t middle = (works + fails) / 2;
      const Vector<NodeId> half(nodes.begin(), nodes.begin() + middle);
      (try_part(half) ? fails : works) = middle;
    }
    const Vector<NodeId> result(nodes.begin(), nodes.begin() + fails);
    return try_part(result) ? result : nodes;
  }

  Vector<NodeId> without_chunks(Vector<NodeId> nodes, std::size_t size) {
    for (std::size_t first = 0; first < nodes.size() && nodes.size() > 1;) {
      Vector<NodeId> rest;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (i < first || i >= first + size) rest.push_back(nodes[i]);
      }
      if (try_part(rest)) {
        nodes = std::move(rest);
      } else {
        first += size;
      }
    }
    return nodes;
  }

  Problem problem_;
  StillFails fails_;
  Problem last_{};
};

SINTER_INLINE bool is_valid(const Problem& problem) {
  try {
    verify(problem.graph);
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

// The elements of `from` at positions that exist in the smaller shape `to`.
SINTER_INLINE Storage cut(const Storage& from, const TensorType& before, const TensorType& after) {
  const std::size_t size = info(before.dtype).size;
  std::size_t count = 1;
  for (const Extent& extent : after.shape) count *= static_cast<std::size_t>(extent.number());
  const Storage result = Storage::allocate(count * size);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t rest = i, at = 0, stride = 1;
    for (int axis = after.shape.size(); axis-- > 0;) {
      const auto extent = static_cast<std::size_t>(after.shape[axis].number());
      at += rest % extent * stride;
      rest /= extent;
      stride *= static_cast<std::size_t>(before.shape[axis].number());
    }
    std::memcpy(static_cast<char*>(result.data()) + i * size,
                static_cast<const char*>(from.data()) + at * size, size);
  }
  return result;
}

// Every size `from` as `to`; nothing fits if the graph is not valid then.
SINTER_INLINE bool resize(Problem& problem, std::int64_t from, std::int64_t to) {
  Problem smaller = problem;
  smaller.graph = map_extents(std::move(smaller.graph), [&](const Extent& extent) {
    return extent.is_number() && extent.number() == from ? Extent(to) : extent;
  });
  if (!is_valid(smaller)) return false;
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    smaller.inputs[i] = cut(problem.inputs[i], problem.graph.type(problem.graph.inputs[i]),
                            smaller.graph.type(smaller.graph.inputs[i]));
  }
  problem = std::move(smaller);
  return true;
}

SINTER_INLINE SortedSet<std::int64_t> sizes_of(const Problem& problem) {
  SortedSet<std::int64_t> result;
  for (const Node& node : problem.graph.nodes) {
    for (const TensorType& type : node.results) {
      for (const Extent& extent : type.shape) result.insert(extent.number());
    }
  }
  return result;
}

// The smallest size instead of `size` that still fails, among the candidates.
SINTER_INLINE bool shrink(Problem& problem, std::int64_t size, StillFails fails) {
  for (const std::int64_t to : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{4},
                                std::int64_t{8}, size / 8, size / 4, size / 2, size - 1}) {
    if (to < 1 || to >= size) continue;
    Problem candidate = problem;
    if (!resize(candidate, size, to) || !fails(candidate)) continue;
    problem = std::move(candidate);
    return true;
  }
  return false;
}

// The elements of one input, simplified: each kind of simplification in its turn.
SINTER_INLINE Storage simplified(DType dtype, const Storage& from, int kind) {
  const Storage result = Storage::allocate(from.bytes());
  visit_dtype(dtype, [&]<class T>(T) {
    const T* const before = static_cast<const T*>(from.data());
    T* const after = static_cast<T*>(result.data());
    for (std::size_t i = 0; i < from.bytes() / sizeof(T); ++i) {
      const double ramp = static_cast<double>(i % 8) * 0.25 + 0.5;
      const double hundredths = std::round(static_cast<double>(before[i]) * 100) / 100;
      const double numbers[] = {0, 1, is_floating(dtype) ? ramp : static_cast<double>(i % 4),
                                hundredths};
      after[i] = convert_element<T>(numbers[kind]);
    }
  });
  return result;
}

}  // namespace detail

SINTER_INLINE Problem reduced_graph(Problem problem, StillFails fails) {
  for (std::size_t before = 0; before != operations_of(problem.graph).size();) {
    before = operations_of(problem.graph).size();
    problem = detail::GraphReducer(std::move(problem), fails).run();
  }
  return problem;
}

SINTER_INLINE Problem reduced_shapes(Problem problem, StillFails fails) {
  if (!problem.symbols.empty()) {
    Problem fixed = with_numbers(problem);
    if (!fails(fixed)) return problem;
    problem = std::move(fixed);
  }
  for (bool smaller = true; smaller;) {
    smaller = false;
    const SortedSet<std::int64_t> sizes = detail::sizes_of(problem);
    for (const std::int64_t size : sizes) smaller |= detail::shrink(problem, size, fails);
  }
  return problem;
}

SINTER_INLINE Problem reduced_data(Problem problem, StillFails fails) {
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    for (int kind = 0; kind < 4; ++kind) {
      Problem candidate = problem;
      const DType dtype = problem.graph.type(problem.graph.inputs[i]).dtype;
      candidate.inputs[i] = detail::simplified(dtype, problem.inputs[i], kind);
      if (!fails(candidate)) continue;
      problem = std::move(candidate);
      break;
    }
  }
  return problem;
}

SINTER_INLINE Problem smaller(Problem problem) {
  constexpr std::size_t most_bytes = std::size_t{1} << 16;
  const auto is_large = [&] {
    std::size_t bytes = 0;
    for (const Storage& input : problem.inputs) bytes += input.bytes();
    return bytes > most_bytes;
  };
  const SortedSet<std::int64_t> sizes = detail::sizes_of(problem);
  Vector<std::int64_t> largest_first(sizes.begin(), sizes.end());
  std::reverse(largest_first.begin(), largest_first.end());
  for (const std::int64_t size : largest_first) {
    if (size > 8 && is_large()) detail::resize(problem, size, 8);
  }
  return problem;
}

SINTER_INLINE Problem reduced(Problem problem, StillFails fails) {
  problem = reduced_graph(std::move(problem), fails);
  problem = reduced_data(std::move(problem), fails);  // the first elements may then fail alone
  problem = reduced_shapes(std::move(problem), fails);
  return reduced_data(std::move(problem), fails);
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
