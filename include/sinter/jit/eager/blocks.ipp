#pragma once

#include <algorithm>  // std::min
#include <bit>        // std::bit_cast
#include <cmath>      // std::abs
#include <cstring>    // std::memcpy
#include <exception>  // std::exception_ptr
#include <mutex>      // std::lock_guard
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/jit/eager/blocks.hpp>
#include <sinter/runtime/host/thread_pool.hpp>
#include <sinter/runtime/interpreter/creation.hpp>
#include <sinter/runtime/interpreter/elementwise.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

using runtime::interpreter::Array;
using runtime::interpreter::Sizes;

// Elements of a block: the intermediates of a draw of normal numbers fit in a second-level cache.
inline constexpr std::int64_t block_elements = 4096;

// More elements do not fit in memory. Evaluation node by node reports that.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 40;

// Returns cos(x) for |x| < 8, within 2 ulp of 1: subtracts the nearest odd multiple of pi / 2, and
// evaluates the sine of the rest. pi is the sum of two numbers; the first has few digits.
inline double moderate_cos(double x) {
  const double shifted = (x * 0x1.45f306dc9c883p-2 + 0.5) + 0x1.8p+52;
  const double n = (shifted - 0x1.8p+52) - 0.5;
  const double r = (x - n * 0x1.921fb544p+1) - n * 0x1.0b4611a626331p-33, z = r * r;
  double s = 0x1.8832a987f978dp-49;
  s = s * z + -0x1.ae4384771931fp-41;
  s = s * z + 0x1.6123cd074980fp-33;
  s = s * z + -0x1.ae6454d474667p-26;
  s = s * z + 0x1.71de3a52a0b16p-19;
  s = s * z + -0x1.a01a01a014d6fp-13;
  s = s * z + 0x1.11111111110c8p-7;
  s = s * z + -0x1.5555555555555p-3;
  const std::uint64_t odd = std::bit_cast<std::uint64_t>(shifted) << 63;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(r * z * s + r) ^ odd);
}

// The cosines of `x`, dense f64: those of the angles of normal numbers in a third of the time that
// the library takes. Empty if some are larger.
inline Optional<Array> moderate_cosines(const Array& x, Where where) {
  const auto* const from = reinterpret_cast<const double*>(x.data());
  const auto size = static_cast<std::size_t>(x.shape[0]);
  bool is_moderate = true;
  for (std::size_t i = 0; i < size; ++i) is_moderate &= std::abs(from[i]) < 8;
  if (!is_moderate) return {};
  Array result = runtime::interpreter::make_dense(f64, x.shape, where);
  auto* const to = reinterpret_cast<double*>(result.data());
  for (std::size_t i = 0; i < size; ++i) to[i] = moderate_cos(from[i]);
  return result;
}

// A graph whose nodes, those that the output needs, have the output's shape or are numbers.
class BlockGraph {
 public:
  explicit BlockGraph(const Graph& graph) : graph_(graph) {
    if (!graph.inputs.empty() || graph.outputs.size() != 1) return;
    const Value output = graph.outputs[0];
    if (output.result != 0 || !is_static(graph.type(output).shape)) return;
    total_ = numel(graph.type(output).shape).number();
    if (total_ < 4 * block_elements || total_ > most_elements) return;
    if (any_of(graph.nodes, has_side_effects)) return;
    kinds_.resize(graph.nodes.size());
    Vector<bool> needed(graph.nodes.size(), false);
    needed[output.node] = true;
    for (std::size_t id = graph.nodes.size(); id-- > 0;) {
      if (!needed[id]) continue;
      for (const Value input : graph.nodes[id].inputs) needed[input.node] = true;
    }
    is_supported_ = true;
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      if (needed[id]) kinds_[id] = kind_of(id);
      is_supported_ = is_supported_ && (!needed[id] || kinds_[id] != Kind::none);
    }
    is_supported_ = is_supported_ && kinds_[output.node] != Kind::number;
  }

  bool is_supported() const { return is_supported_; }

  Storage evaluate() const {
    const Node& node = graph_[graph_.outputs[0].node];
    const std::size_t size = info(node.results[0].dtype).size;
    Storage result = Storage::allocate(static_cast<std::size_t>(total_) * size, cpu(), node.where);
    ProcessMutex mutex;
    std::exception_ptr failure;
    auto share = [&](int thread, int threads) {
      const std::int64_t blocks = (total_ + block_elements - 1) / block_elements;
      try {
        for (std::int64_t i = thread; i < blocks; i += threads) {
          write_block(i * block_elements, static_cast<std::byte*>(result.data()));
        }
      } catch (...) {  // memory ran out
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
      }
    };
    runtime::run_on_threads(runtime::num_threads(), share);
    if (failure != nullptr) std::rethrow_exception(failure);
    return result;
  }

 private:
  // none: not needed, or not supported.
  enum class Kind : std::uint8_t { none, number, random, elementwise };

  // Numbers, and what repeats them, are the same in every block.
  Kind kind_of(NodeId id) const {
    const Node& node = graph_[id];
    const auto is_number = [&](Value input) { return kinds_[input.node] == Kind::number; };
    if (node.op == Op::constant) return Kind::number;
    const bool repeats = node.op == Op::expand || node.op == Op::reshape;
    if (repeats) return is_number(node.inputs[0]) ? Kind::number : Kind::none;
    const TensorType& type = node.results[0];
    if (!same(type.shape, graph_.type(graph_.outputs[0]).shape)) return Kind::none;
    if (node.op == Op::random_bits) {
      return all_of(node.inputs, is_number) ? Kind::random : Kind::none;
    }
    const bool may_fail = node.op == Op::floor_divide || node.op == Op::remainder;
    const bool is_pure = is_elementwise(node.op) && !may_fail && node.op != Op::custom_elementwise;
    return is_pure ? Kind::elementwise : Kind::none;
  }

  // Writes the elements from `begin` on to their place in `to`, that of element 0.
  void write_block(std::int64_t begin, std::byte* to) const {
    const std::int64_t count = std::min(block_elements, total_ - begin);
    const Array block = to_dense(block_of(begin, {count}), {});
    const auto size = static_cast<std::int64_t>(info(block.dtype).size);
    std::memcpy(to + begin * size, block.data(), static_cast<std::size_t>(count * size));
  }

  Array block_of(std::int64_t begin, const Sizes& shape) const {
    Vector<Array> values(graph_.nodes.size());
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (kinds_[id] == Kind::none) continue;
      const Node& node = graph_[id];
      Vector<Array> inputs;
      for (const Value input : node.inputs) inputs.push_back(values[input.node]);
      if (node.op == Op::constant) {
        values[id] =
            runtime::interpreter::constant(attribute<Constant>(node, "value"), shape, node.where);
      } else if (kinds_[id] == Kind::number) {
        values[id] = inputs[0];
      } else if (kinds_[id] == Kind::random) {
        const auto number = static_cast<std::uint32_t>(sinter::detail::number(node, "number"));
        values[id] = runtime::interpreter::random_bits(word_of(inputs[0]), word_of(inputs[1]),
                                                       number, shape, node.where, begin);
      } else {
        values[id] = evaluate(node, inputs);
      }
    }
    return values[graph_.outputs[0].node];
  }

  static Array evaluate(const Node& node, const Vector<Array>& inputs) {
    if (node.op == Op::cos && inputs[0].dtype == f64 && is_dense(inputs[0])) {
      if (auto cosines = moderate_cosines(inputs[0], node.where)) return std::move(*cosines);
    }
    return elementwise(node.op, inputs, node.results[0].dtype, node.where);
  }

  const Graph& graph_;
  Vector<Kind> kinds_;
  std::int64_t total_ = 0;
  bool is_supported_ = false;
};

}  // namespace detail

SINTER_INLINE Optional<Storage> by_blocks(const Graph& graph) {
  const detail::BlockGraph blocks(graph);
  if (!blocks.is_supported()) return {};
  return blocks.evaluate();
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
