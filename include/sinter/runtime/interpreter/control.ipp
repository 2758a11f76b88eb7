#pragma once

#include <cstring>  // std::memcmp

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/runtime/interpreter/control.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>
#include <sinter/schedule/ir/custom_stages.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

SINTER_INLINE Array array_of(const TensorType& type, Storage storage, SymbolSize size) {
  Array result{.dtype = type.dtype, .storage = std::move(storage)};
  for (const Extent& extent : type.shape) result.shape.push_back(evaluate(extent, size));
  result.strides = dense_strides(result.shape);
  return result;
}

SINTER_INLINE Vector<Array> run_body(const Graph& body, Span<const Array> inputs, SymbolSize size,
                                     Where where) {
  Vector<Storage> memory;
  for (const Array& input : inputs) memory.push_back(storage_of(input, where));
  Vector<Storage> outputs = interpret(body, memory, size);
  Vector<Array> result;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    result.push_back(array_of(body.type(body.outputs[i]), std::move(outputs[i]), size));
  }
  return result;
}

namespace detail {

SINTER_INLINE Vector<Array> run_callee(const Callee& callee, const Node& node,
                                       Span<const Array> inputs) {
  const auto size = [sizes = callee_sizes(node)](Extent symbol) { return evaluate(symbol, sizes); };
  return run_body(callee.graph(), inputs, size, node.where);
}

SINTER_INLINE bool truth(const Array& x) { return *x.data() != std::byte{0}; }

SINTER_INLINE Vector<Array> run_while(const Node& node, Span<const Array> inputs, SymbolSize size) {
  const std::size_t states = state_count(node);
  Vector<Array> given(inputs.begin(), inputs.end());
  while (truth(run_body(node.bodies[0], given, size, node.where)[0])) {
    Vector<Array> next = run_body(node.bodies[1], given, size, node.where);
    for (std::size_t i = 0; i < states; ++i) given[i] = std::move(next[i]);
  }
  given.resize(states);
  return given;
}

// Element `index` along axis 0, which is dropped.
SINTER_INLINE Array step_of(const Array& x, std::int64_t index) {
  Array result = x;
  result.offset += index * x.strides[0];
  result.shape = {x.shape.begin() + 1, x.shape.end()};
  result.strides = {x.strides.begin() + 1, x.strides.end()};
  return result;
}

SINTER_INLINE Vector<Array> run_scan(const Node& node, Span<const Array> inputs, SymbolSize size) {
  const ScanLayout layout = scan_layout(node);
  const std::int64_t length = inputs[layout.carries].shape[0];
  Vector<Array> given(inputs.begin(), inputs.end()), results(inputs.begin(), inputs.end());
  results.resize(layout.carries);
  for (std::size_t i = layout.carries; i < node.results.size(); ++i) {
    const Array type = array_of(node.results[i], {}, size);
    results.push_back(make_dense(type.dtype, type.shape, node.where));
  }
  for (std::int64_t step = 0; step < length; ++step) {
    const std::int64_t index = layout.reverse ? length - 1 - step : step;
    for (std::size_t i = 0; i < layout.xs; ++i) {
      given[layout.carries + i] = step_of(inputs[layout.carries + i], index);
    }
    Vector<Array> found = run_body(node.bodies[0], given, size, node.where);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i >= layout.carries) copy(found[i], step_of(results[i], index));
      if (i < layout.carries) results[i] = given[i] = found[i];
    }
  }
  return results;
}

// True if all elements are the same one, whose bytes are 0.
SINTER_INLINE bool is_zero(const Array& x) {
  if (count(x.shape) == 0 || any_of(x.strides, [](std::int64_t step) { return step != 0; }))
    return false;
  constexpr std::byte zero[8]{};
  return std::memcmp(x.data(), zero, info(x.dtype).size) == 0;
}

}  // namespace detail

SINTER_INLINE Storage storage_of(const Array& x, Where where) {
  const auto bytes = static_cast<std::size_t>(count(x.shape)) * info(x.dtype).size;
  if (is_dense(x) && x.offset == 0 && x.storage.bytes() == bytes) return x.storage;
  if (detail::is_zero(x)) return Storage::zeros(bytes, where);
  const Array result = make_dense(x.dtype, x.shape, where);
  copy(x, result);
  return result.storage;
}

SINTER_INLINE Vector<Array> control(const Node& node, Span<const Array> inputs, SymbolSize size) {
  if (node.op == Op::while_loop) return detail::run_while(node, inputs, size);
  if (const Callee* const callee = callee_of(node))
    return detail::run_callee(*callee, node, inputs);
  if (node.op == Op::call) return run_body(node.bodies[0], inputs, size, node.where);
  if (node.op == Op::scan) return detail::run_scan(node, inputs, size);
  const bool is_custom = node.op == Op::custom || node.op == Op::custom_elementwise;
  if (is_custom) return custom_stages().interpret(node, inputs, size);
  const Graph& branch = node.bodies[detail::truth(inputs[0]) ? 0 : 1];
  return run_body(branch, inputs.subspan(1), size, node.where);
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter
