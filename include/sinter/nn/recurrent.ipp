#pragma once

#include <sinter/nn/recurrent.hpp>
#include <sinter/trace/concatenate.hpp>
#include <sinter/trace/control.hpp>
#include <sinter/trace/create.hpp>
#include <sinter/trace/movement.hpp>
#include <sinter/trace/random.hpp>
#include <sinter/trace/recorder.hpp>

namespace sinter::inline SINTER_ABI::nn {

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
      layers(options.layers),
      bias(options.bias),
      batch_first(options.batch_first),
      bidirectional(options.bidirectional),
      dropout(options.dropout) {
  const std::int64_t directions = bidirectional ? 2 : 1;
  for (std::int64_t i = 0; i < layers * directions; ++i) {
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

// Throws unless x is a sequence of inputs, and the state that of its batch.
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
  const std::int64_t count = layer.layers * (layer.bidirectional ? 2 : 1);
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
  const bool is_turned = batch_first && sequence.ndim() == 3;
  if (is_turned) sequence = transpose({sequence, at}, 0, 1);
  for (const Tensor& part : state) require_state(*this, sequence, part, at);
  const int directions = bidirectional ? 2 : 1;
  std::vector<std::vector<Tensor>> lasts(recurrence == Recurrence::lstm ? 2 : 1);
  for (std::int64_t layer = 0; layer < layers; ++layer) {
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
  return {is_turned ? transpose({sequence, at}, 0, 1) : sequence, state};
}

SINTER_INLINE RecurrentOptions options_of(const RNNOptions& options) {
  return {.layers = options.layers,
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
