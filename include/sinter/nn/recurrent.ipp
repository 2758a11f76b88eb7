#pragma once

#include <sinter/nn/initialize.hpp>
#include <sinter/nn/recurrent.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/functional/activation.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/concatenate.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/product/product.hpp>
#include <sinter/trace/transform/control.hpp>

namespace sinter::inline SINTER_ABI::nn {

namespace detail {

SINTER_INLINE int gates_of(Recurrence recurrence) {
  return recurrence == Recurrence::lstm ? 4 : recurrence == Recurrence::gru ? 3 : 1;
}

// The slice of `x` for gate number `i`.
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

namespace detail {

SINTER_INLINE std::string_view name_of(Recurrence recurrence) {
  return recurrence == Recurrence::lstm ? "LSTM" : recurrence == Recurrence::gru ? "GRU" : "RNN";
}

SINTER_INLINE std::string suffix_of(std::int64_t layer, bool is_reverse) {
  return sinter::detail::text("_l", layer, is_reverse ? "_reverse" : "");
}

SINTER_INLINE Recurrent::Recurrent(Recurrence kind, std::int64_t inputs, std::int64_t hiddens,
                                   const RecurrentOptions& options, Where where)
    : recurrence(kind),
      input_size(inputs),
      hidden_size(hiddens),
      num_layers(options.num_layers),
      bias(options.bias),
      batch_first(options.batch_first),
      bidirectional(options.bidirectional),
      dropout(options.dropout) {
  const std::int64_t directions = bidirectional ? 2 : 1;
  for (std::int64_t i = 0; i < num_layers * directions; ++i) {
    const std::int64_t layer = i / directions, width = layer == 0 ? inputs : hiddens * directions;
    RecurrentWeights initial = initial_weights(kind, width, hiddens, bias, where);
    const std::string suffix = suffix_of(layer, i % directions == 1);
    weights["weight_ih" + suffix] = initial.weight_ih;
    weights["weight_hh" + suffix] = initial.weight_hh;
    if (!bias) continue;
    weights["bias_ih" + suffix] = *initial.bias_ih;
    weights["bias_hh" + suffix] = *initial.bias_hh;
  }
}

SINTER_INLINE RecurrentWeights Recurrent::weights_of(std::int64_t layer, bool is_reverse,
                                                     Where where) const {
  const auto named = [&](const std::string& name) {
    const auto entry = weights.find(name + suffix_of(layer, is_reverse));
    if (entry == weights.end()) Tensor().type(where);  // throws: a layer without weights
    return entry->second;
  };
  RecurrentWeights result{.weight_ih = named("weight_ih"), .weight_hh = named("weight_hh")};
  if (bias) result.bias_ih = named("bias_ih"), result.bias_hh = named("bias_hh");
  return result;
}

// Throws unless x is a sequence of inputs and the state fits its batch.
SINTER_INLINE void require_sequence(const Recurrent& layer, const Tensor& x, Where at) {
  const bool fits = (x.ndim(at) == 2 || x.ndim(at) == 3) &&
                    sinter::detail::equal_sizes(x.size(-1), layer.input_size, at);
  if (fits) return;
  const std::string_view axes = layer.batch_first ? "(batch, length, " : "(length, batch, ";
  throw ShapeError(
      {.op = std::string(name_of(layer.recurrence)),
       .what = "the input does not fit the layer",
       .facts = {{"x", to_string(x)}, {"input", sinter::detail::text(layer.input_size)}},
       .rule = sinter::detail::text("x is ", axes, layer.input_size, ") or (length, ",
                                    layer.input_size, ")"),
       .fix = "the last axis of x has to be as long as `input` says",
       .where = at,
       .see = "matmul"});
}

SINTER_INLINE void require_state(const Recurrent& layer, const Tensor& x, const Tensor& state,
                                 Where at) {
  const std::int64_t count = layer.num_layers * (layer.bidirectional ? 2 : 1);
  const bool has_batch = x.ndim() == 3;
  bool fits = state.ndim(at) == x.ndim() && sinter::detail::equal_sizes(state.size(0), count, at) &&
              sinter::detail::equal_sizes(state.size(-1), layer.hidden_size, at);
  fits = fits && (!has_batch || sinter::detail::equal_sizes(state.size(1), x.size(1), at));
  if (fits) return;
  throw ShapeError(
      {.op = std::string(name_of(layer.recurrence)),
       .what = "the state does not fit the layer and the input",
       .facts = {{"state", to_string(state)}, {"length, batch", to_string(x)}},
       .rule = sinter::detail::text("the state is (", count, has_batch ? ", batch, " : ", ",
                                    layer.hidden_size, ")"),
       .fix =
           sinter::detail::text("start with zeros, or with the state of an earlier call: it has ",
                                "one part for each layer and direction"),
       .where = at,
       .see = "matmul"});
}

SINTER_INLINE std::pair<Tensor, RecurrentState> Recurrent::run_layer(const Tensor& x,
                                                                     const RecurrentState& state,
                                                                     std::int64_t layer,
                                                                     bool is_reverse,
                                                                     Where at) const {
  const RecurrentWeights used = weights_of(layer, is_reverse, at);
  Tensor parts = input_part({x, at}, used);
  if (is_reverse) parts = flip({parts, at}, 0);
  RecurrentState first = state;
  if (first.empty()) {
    const Shape rows = parts.ndim() == 3 ? Shape{parts.size(1)} : Shape{};
    first = initial_state(recurrence, rows, hidden_size, parts.dtype(), at);
  }
  const auto step = [&](const RecurrentState& before, const Tensor& part) {
    const RecurrentState after = recurrent_step(recurrence, part, before, used, at);
    return std::pair{after, after[0]};
  };
  auto [last, outputs] = scan(step, first, parts, at);
  if (is_reverse) outputs = flip({outputs, at}, 0);
  return {outputs, last};
}

SINTER_INLINE std::pair<Tensor, RecurrentState> Recurrent::run(const Operand& x,
                                                               RecurrentState state) const {
  const Where at = x.where;
  Tensor sequence = x.tensor();
  require_sequence(*this, sequence, at);
  const bool is_transposed = batch_first && sequence.ndim() == 3;
  if (is_transposed) sequence = transpose({sequence, at}, 0, 1);
  for (const Tensor& part : state) require_state(*this, sequence, part, at);
  const int directions = bidirectional ? 2 : 1;
  std::vector<std::vector<Tensor>> lasts(recurrence == Recurrence::lstm ? 2 : 1);
  for (std::int64_t layer = 0; layer < num_layers; ++layer) {
    if (layer > 0 && training) sequence = sinter::dropout({sequence, at}, dropout);
    std::vector<Tensor> outputs;
    for (int direction = 0; direction < directions; ++direction) {
      const std::int64_t index = layer * directions + direction;
      RecurrentState first;
      for (const Tensor& part : state) {
        first.push_back(squeeze({slice({part, at}, 0, index, index + 1), at}, 0));
      }
      auto [output, last] = run_layer(sequence, first, layer, direction == 1, at);
      outputs.push_back(output);
      for (std::size_t i = 0; i < last.size(); ++i) lasts[i].push_back(last[i]);
    }
    sequence = bidirectional ? concatenate({outputs, at}, -1) : outputs[0];
  }
  state.clear();
  for (const std::vector<Tensor>& parts : lasts) state.push_back(stack({parts, at}));
  return {is_transposed ? transpose({sequence, at}, 0, 1) : sequence, state};
}

SINTER_INLINE RecurrentOptions options_of(const RNNOptions& options) {
  return {.num_layers = options.num_layers,
          .bias = options.bias,
          .batch_first = options.batch_first,
          .dropout = options.dropout,
          .bidirectional = options.bidirectional};
}

}  // namespace detail

SINTER_INLINE LSTMOutput LSTM::forward(Operand x) const {
  const auto [output, last] = run(x, {});
  return {output, {last[0], last[1]}};
}
SINTER_INLINE LSTMOutput LSTM::forward(Operand x, const LSTMState& state) const {
  const auto [output, last] = run(x, {state.h, state.c});
  return {output, {last[0], last[1]}};
}

SINTER_INLINE RecurrentOutput GRU::forward(Operand x) const {
  const auto [output, last] = run(x, {});
  return {output, last[0]};
}
SINTER_INLINE RecurrentOutput GRU::forward(Operand x, const Tensor& h) const {
  const auto [output, last] = run(x, {h});
  return {output, last[0]};
}

SINTER_INLINE RNN::RNN(std::int64_t inputs, std::int64_t hiddens, const RNNOptions& options,
                       Where where)
    : Recurrent(options.nonlinearity == RNNNonlinearity::relu ? Recurrence::relu : Recurrence::tanh,
                inputs, hiddens, detail::options_of(options), where) {}

SINTER_INLINE RecurrentOutput RNN::forward(Operand x) const {
  const auto [output, last] = run(x, {});
  return {output, last[0]};
}
SINTER_INLINE RecurrentOutput RNN::forward(Operand x, const Tensor& h) const {
  const auto [output, last] = run(x, {h});
  return {output, last[0]};
}

}  // namespace sinter::inline SINTER_ABI::nn
