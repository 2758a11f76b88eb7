#pragma once

#include <sinter/nn/initialize.hpp>
#include <sinter/nn/recurrent_cell.hpp>
#include <sinter/trace/activation.hpp>
#include <sinter/trace/create.hpp>
#include <sinter/trace/elementwise.hpp>
#include <sinter/trace/movement.hpp>
#include <sinter/trace/product.hpp>

namespace sinter::inline SINTER_ABI::nn {

namespace detail {

SINTER_INLINE int gates_of(Recurrence recurrence) {
  return recurrence == Recurrence::lstm ? 4 : recurrence == Recurrence::gru ? 3 : 1;
}

// The part of `x` that belongs to gate number `i`.
SINTER_INLINE Operand gate(const Tensor& x, int i, const Extent& hidden, Where at) {
  return {slice({x, at}, -1, hidden * i, hidden * (i + 1)), at};
}

SINTER_INLINE RecurrentState lstm_step(const Tensor& input, const Tensor& recurrent,
                                       const Tensor& before, const Extent& hidden, Where at) {
  const Tensor sum = add({input, at}, {recurrent, at});
  const Tensor i = sigmoid(gate(sum, 0, hidden, at)), f = sigmoid(gate(sum, 1, hidden, at));
  const Tensor g = tanh(gate(sum, 2, hidden, at)), o = sigmoid(gate(sum, 3, hidden, at));
  const Tensor kept = mul({f, at}, {before, at});
  const Tensor c = add({kept, at}, {mul({i, at}, {g, at}), at});
  return {mul({o, at}, {tanh({c, at}), at}), c};
}

SINTER_INLINE RecurrentState gru_step(const Tensor& input, const Tensor& recurrent,
                                      const Tensor& before, const Extent& hidden, Where at) {
  const auto sum = [&](int i) {
    return Operand(add(gate(input, i, hidden, at), gate(recurrent, i, hidden, at)), at);
  };
  const Tensor r = sigmoid(sum(0)), z = sigmoid(sum(1));
  const Tensor reset = mul({r, at}, gate(recurrent, 2, hidden, at));
  const Tensor n = tanh({add(gate(input, 2, hidden, at), {reset, at}), at});
  const Tensor kept = mul({z, at}, {sub({before, at}, {n, at}), at});
  return {add({n, at}, {kept, at})};
}

}  // namespace detail

SINTER_INLINE RecurrentWeights initial_weights(Recurrence recurrence, std::int64_t input,
                                               std::int64_t hidden, bool bias, Where where) {
  const std::int64_t rows = detail::gates_of(recurrence) * hidden;
  RecurrentWeights result{.weight_ih = uniform_by_inputs({rows, input}, hidden, where),
                          .weight_hh = uniform_by_inputs({rows, hidden}, hidden, where)};
  if (bias) {
    result.bias_ih = uniform_by_inputs({rows}, hidden, where);
    result.bias_hh = uniform_by_inputs({rows}, hidden, where);
  }
  return result;
}

SINTER_INLINE Tensor input_part(Operand x, const RecurrentWeights& weights) {
  const Where at = x.where;
  return weights.bias_ih ? linear(x, {weights.weight_ih, at}, {*weights.bias_ih, at})
                         : linear(x, {weights.weight_ih, at});
}

SINTER_INLINE RecurrentState recurrent_step(Recurrence recurrence, const Tensor& input,
                                            const RecurrentState& state,
                                            const RecurrentWeights& weights, Where at) {
  const Extent hidden = weights.weight_hh.size(1, at);
  const Tensor product =
      weights.bias_hh ? linear({state[0], at}, {weights.weight_hh, at}, {*weights.bias_hh, at})
                      : linear({state[0], at}, {weights.weight_hh, at});
  if (recurrence == Recurrence::lstm) {
    return detail::lstm_step(input, product, state[1], hidden, at);
  }
  if (recurrence == Recurrence::gru) {
    return detail::gru_step(input, product, state[0], hidden, at);
  }
  const Tensor sum = add({input, at}, {product, at});
  return {recurrence == Recurrence::relu ? relu({sum, at}) : tanh({sum, at})};
}

SINTER_INLINE RecurrentState initial_state(Recurrence recurrence, Shape rows, const Extent& hidden,
                                           DType dtype, Where where) {
  rows.push_back(hidden);
  const Tensor nothing = zeros(rows, dtype, where);
  if (recurrence == Recurrence::lstm) return {nothing, nothing};
  return {nothing};
}

namespace detail {

SINTER_INLINE RecurrentState Cell::next(Recurrence recurrence, const Operand& x,
                                        RecurrentState before) const {
  const Tensor input = input_part(x, *this);
  const Extent hidden = weight_hh.size(1, x.where);
  if (before.empty()) {
    Shape rows;
    for (int axis = 0; axis + 1 < input.ndim(); ++axis) rows.push_back(input.shape()[axis]);
    before = initial_state(recurrence, rows, hidden, input.dtype(), x.where);
  }
  return recurrent_step(recurrence, input, before, *this, x.where);
}

}  // namespace detail

SINTER_INLINE LSTMState LSTMCell::forward(Operand x) const {
  const RecurrentState state = next(Recurrence::lstm, x, {});
  return {state[0], state[1]};
}
SINTER_INLINE LSTMState LSTMCell::forward(Operand x, const LSTMState& before) const {
  const RecurrentState state = next(Recurrence::lstm, x, {before.h, before.c});
  return {state[0], state[1]};
}

SINTER_INLINE Tensor GRUCell::forward(Operand x) const { return next(Recurrence::gru, x, {})[0]; }
SINTER_INLINE Tensor GRUCell::forward(Operand x, const Tensor& h) const {
  return next(Recurrence::gru, x, {h})[0];
}

SINTER_INLINE Tensor RNNCell::forward(Operand x) const { return next(Recurrence::tanh, x, {})[0]; }
SINTER_INLINE Tensor RNNCell::forward(Operand x, const Tensor& h) const {
  return next(Recurrence::tanh, x, {h})[0];
}

}  // namespace sinter::inline SINTER_ABI::nn
