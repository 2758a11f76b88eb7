#pragma once
// One step of recurrent networks, as layers: from what came before and an input to what comes next.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional
#include <vector>    // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/module.hpp>
#include <sinter/trace/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

/// What an LSTM remembers: what it gives, and what it keeps to itself.
struct LSTMState {
  Tensor h, c;
  SINTER_MODULE(LSTMState, h, c)
};

enum class Recurrence : std::uint8_t {
  tanh,  ///< h = tanh(x' + h')
  relu,  ///< h = relu(x' + h')
  lstm,  ///< c = f * c + i * g, h = o * tanh(c)
  gru    ///< h = (1 - z) * n + z * h
};

/// The affine maps of a step, x' and h' above: x' = linear(x, weight_ih, bias_ih). The rows are
/// those of the gates one after the other: i, f, g, o of an LSTM; r, z, n of a GRU.
struct RecurrentWeights {
  Tensor weight_ih;  ///< (gates * hidden, input)
  Tensor weight_hh;  ///< (gates * hidden, hidden)
  std::optional<Tensor> bias_ih{}, bias_hh{};
  SINTER_MODULE(RecurrentWeights, weight_ih, weight_hh, bias_ih, bias_hh)
};

/// Uniform in [-1 / sqrt(hidden), 1 / sqrt(hidden)), as torch.
RecurrentWeights initial_weights(Recurrence recurrence, std::int64_t input, std::int64_t hidden,
                                 bool bias, Where where);

/// x', for one step or for many.
Tensor input_part(Operand x, const RecurrentWeights& weights);

/// The tensors of a state: {h}, or {h, c} of an LSTM.
using RecurrentState = std::vector<Tensor>;
/// The state after a step whose input gave `input`, which is x'.
RecurrentState recurrent_step(Recurrence recurrence, const Tensor& input,
                              const RecurrentState& state, const RecurrentWeights& weights,
                              Where where);
/// Zeros of shape (rows..., hidden).
RecurrentState initial_state(Recurrence recurrence, Shape rows, const Extent& hidden, DType dtype,
                             Where where);

struct CellOptions {
  bool bias = true;
};

namespace detail {

/// What the cells share: their members are the weights.
struct Cell : RecurrentWeights {
  Cell() = default;
  Cell(Recurrence recurrence, std::int64_t input, std::int64_t hidden, bool bias, Where where)
      : RecurrentWeights(initial_weights(recurrence, input, hidden, bias, where)) {}

  /// The state after `x`; the state before is zeros if it is empty.
  RecurrentState next(Recurrence recurrence, const Operand& x, RecurrentState before) const;
};

}  // namespace detail

/// i, f, o = sigmoid and g = tanh of x' + h'; c = f * c + i * g; h = o * tanh(c). The state before
/// the first step is zeros.
///
/// Shapes   x (..., input), h and c (..., hidden)
/// Throws   ShapeError if the last axis of x is not `input`, or that of h is not `hidden`
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTMCell.html
struct LSTMCell : detail::Cell {
  LSTMCell() = default;
  LSTMCell(std::int64_t input, std::int64_t hidden, CellOptions options = {},
           Where where = Where::current())
      : Cell(Recurrence::lstm, input, hidden, options.bias, where) {}

  LSTMState forward(Operand x) const;
  LSTMState forward(Operand x, const LSTMState& state) const;
  LSTMState operator()(Operand x) const {
    const sinter::detail::ModuleScope scope(this);
    return forward(x);
  }
  LSTMState operator()(Operand x, const LSTMState& state) const {
    const sinter::detail::ModuleScope scope(this);
    return forward(x, state);
  }
};

/// r, z = sigmoid(x' + h'); n = tanh(x' + r * h'); h = (1 - z) * n + z * h. The state before the
/// first step is zeros.
///
/// Shapes   x (..., input), h (..., hidden)
/// Throws   ShapeError if the last axis of x is not `input`, or that of h is not `hidden`
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.GRUCell.html
struct GRUCell : detail::Cell {
  GRUCell() = default;
  GRUCell(std::int64_t input, std::int64_t hidden, CellOptions options = {},
          Where where = Where::current())
      : Cell(Recurrence::gru, input, hidden, options.bias, where) {}

  Tensor forward(Operand x) const;
  Tensor forward(Operand x, const Tensor& h) const;
  Tensor operator()(Operand x) const {
    const sinter::detail::ModuleScope scope(this);
    return forward(x);
  }
  Tensor operator()(Operand x, const Tensor& h) const {
    const sinter::detail::ModuleScope scope(this);
    return forward(x, h);
  }
};

/// h = tanh(x' + h'). The state before the first step is zeros.
///
/// Shapes   x (..., input), h (..., hidden)
/// Throws   ShapeError if the last axis of x is not `input`, or that of h is not `hidden`
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.RNNCell.html
struct RNNCell : detail::Cell {
  RNNCell() = default;
  RNNCell(std::int64_t input, std::int64_t hidden, CellOptions options = {},
          Where where = Where::current())
      : Cell(Recurrence::tanh, input, hidden, options.bias, where) {}

  Tensor forward(Operand x) const;
  Tensor forward(Operand x, const Tensor& h) const;
  Tensor operator()(Operand x) const {
    const sinter::detail::ModuleScope scope(this);
    return forward(x);
  }
  Tensor operator()(Operand x, const Tensor& h) const {
    const sinter::detail::ModuleScope scope(this);
    return forward(x, h);
  }
};

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/nn/recurrent_cell.ipp>
#endif
