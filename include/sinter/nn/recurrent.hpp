#pragma once
// RNN, LSTM and GRU: cells, which compute one step, and layers, which loop over a sequence.

#include <cstdint>   // std::int64_t
#include <map>       // std::map
#include <optional>  // std::optional
#include <string>    // std::string
#include <vector>    // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

/// The state of an LSTM: hidden state and cell state.
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

/// The affine maps of a step, x' and h' above: x' = linear(x, weight_ih, bias_ih), h' = linear(h,
/// weight_hh, bias_hh). Rows are ordered by gate: i, f, g, o for an LSTM; r, z, n for a GRU.
struct RecurrentWeights {
  Tensor weight_ih;  ///< (gates * hidden, input)
  Tensor weight_hh;  ///< (gates * hidden, hidden)
  std::optional<Tensor> bias_ih{}, bias_hh{};
  // SINTER_MODULE would add an operator() that makes calls of cells ambiguous.
  SINTER_ACCESSORS(RecurrentWeights, weight_ih, weight_hh, bias_ih, bias_hh)
};

/// Uniform in [-1 / sqrt(hidden), 1 / sqrt(hidden)), as torch.
RecurrentWeights initial_weights(Recurrence recurrence, std::int64_t input, std::int64_t hidden,
                                 bool bias, Where where);

/// x', for one step or for many.
Tensor input_part(Operand x, const RecurrentWeights& weights);

/// The tensors of a state: {h}, or {h, c} for an LSTM.
using RecurrentState = std::vector<Tensor>;
/// The state after a step, given `input`, which is x'.
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

/// operator() of a cell or layer, with or without an initial state.
template <class Self, class State, class Output>
struct CallWithState {
  Output operator()(Operand x) const {
    const sinter::detail::ModuleScope sinter_scope(self());
    SINTER_FORWARD(self()->forward(x))
  }
  Output operator()(Operand x, const State& state) const {
    const sinter::detail::ModuleScope sinter_scope(self());
    SINTER_FORWARD(self()->forward(x, state))
  }

 private:
  const Self* self() const { return static_cast<const Self*>(this); }
};

/// Shared by the cells; the members are the weights.
struct Cell : RecurrentWeights {
  Cell() = default;
  Cell(Recurrence recurrence, std::int64_t input, std::int64_t hidden, bool bias, Where where)
      : RecurrentWeights(initial_weights(recurrence, input, hidden, bias, where)) {}

  /// The state after input `x`; an empty previous state means zeros.
  RecurrentState next(Recurrence recurrence, const Operand& x, RecurrentState before) const;
};

}  // namespace detail

/// i, f, o = sigmoid and g = tanh of x' + h'; c = f * c + i * g; h = o * tanh(c). The initial state
/// is zeros.
///
/// Shapes   x (..., input), h and c (..., hidden)
/// Throws   ShapeError if the last axis of x is not `input`, or that of h is not `hidden`
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTMCell.html
struct LSTMCell : detail::Cell, detail::CallWithState<LSTMCell, LSTMState, LSTMState> {
  LSTMCell() = default;
  LSTMCell(std::int64_t input, std::int64_t hidden, CellOptions options = {},
           Where where = Where::current())
      : Cell(Recurrence::lstm, input, hidden, options.bias, where) {}

  LSTMState forward(Operand x) const;
  LSTMState forward(Operand x, const LSTMState& state) const;
};

/// r, z = sigmoid(x' + h'); n = tanh(x' + r * h'); h = (1 - z) * n + z * h. The initial state is
/// zeros.
///
/// Shapes   x (..., input), h (..., hidden)
/// Throws   ShapeError if the last axis of x is not `input`, or that of h is not `hidden`
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.GRUCell.html
struct GRUCell : detail::Cell, detail::CallWithState<GRUCell, Tensor, Tensor> {
  GRUCell() = default;
  GRUCell(std::int64_t input, std::int64_t hidden, CellOptions options = {},
          Where where = Where::current())
      : Cell(Recurrence::gru, input, hidden, options.bias, where) {}

  Tensor forward(Operand x) const;
  Tensor forward(Operand x, const Tensor& h) const;
};

/// h = tanh(x' + h'). The initial state is zeros.
///
/// Shapes   x (..., input), h (..., hidden)
/// Throws   ShapeError if the last axis of x is not `input`, or that of h is not `hidden`
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.RNNCell.html
struct RNNCell : detail::Cell, detail::CallWithState<RNNCell, Tensor, Tensor> {
  RNNCell() = default;
  RNNCell(std::int64_t input, std::int64_t hidden, CellOptions options = {},
          Where where = Where::current())
      : Cell(Recurrence::tanh, input, hidden, options.bias, where) {}

  Tensor forward(Operand x) const;
  Tensor forward(Operand x, const Tensor& h) const;
};

struct RecurrentOptions {
  std::int64_t num_layers = 1;
  bool bias = true;
  bool batch_first = false;    ///< Axes batch, length, features; else length, batch, features.
  double dropout = 0;          ///< Between layers, in training.
  bool bidirectional = false;  ///< Each layer also runs over the reversed sequence.
};

/// The nonlinearity of an RNN.
enum class RNNNonlinearity : std::uint8_t { tanh, relu };

namespace detail {

/// Shared by RNN, LSTM and GRU.
struct Recurrent {
  /// Keyed by torch's names: weight_ih_l0, bias_hh_l1_reverse.
  std::map<std::string, Tensor> weights{};
  Recurrence recurrence{};
  std::int64_t input_size = 0, hidden_size = 0, num_layers = 0;
  bool bias = true, batch_first = false, bidirectional = false, training = true;
  double dropout = 0;

  // `weights` adds no prefix, so that parameters are named as in torch.
#define SINTER_RECURRENT_SETTINGS(macro, context)                                        \
  SINTER_FOR_EACH(macro, context, recurrence, input_size, hidden_size, num_layers, bias, \
                  batch_first, bidirectional, training, dropout)
  struct hana_accessors_impl {
    template <class Self = Recurrent>
    static constexpr auto apply() {
      return boost::hana::make_tuple(SINTER_NAMED_MEMBER(Self, "", weights),
                                     SINTER_RECURRENT_SETTINGS(SINTER_MEMBER, Self));
    }
    template <class Self, class Visit>
    static void visit_members(Self& self, Visit& sinter_visit) {
      sinter_visit("", self.weights);
      SINTER_RECURRENT_SETTINGS(SINTER_VISIT_MEMBER, self);
    }
  };
#undef SINTER_RECURRENT_SETTINGS

  Recurrent() = default;
  Recurrent(Recurrence kind, std::int64_t inputs, std::int64_t hiddens,
            const RecurrentOptions& options, Where where);

  /// The output of the last layer for each step, and the last state of each layer and direction.
  std::pair<Tensor, RecurrentState> run(const Operand& x, RecurrentState state) const;

 private:
  RecurrentWeights weights_of(std::int64_t layer, bool is_reverse, Where where) const;
  std::pair<Tensor, RecurrentState> run_layer(const Tensor& x, const RecurrentState& state,
                                              std::int64_t layer, bool is_reverse,
                                              Where where) const;
};

}  // namespace detail

/// The result of an RNN or GRU: `output` (length, batch, directions * hidden), the output of the
/// last layer for each step, and `h` (num_layers * directions, batch, hidden), the last state of
/// each layer.
struct RecurrentOutput {
  Tensor output, h;
  SINTER_MODULE(RecurrentOutput, output, h)
};

/// The same for an LSTM: auto [output, state] = lstm(x).
struct LSTMOutput {
  Tensor output;
  LSTMState state;
  SINTER_MODULE(LSTMOutput, output, state)
};

/// LSTMCell along a sequence. The loop is part of the graph, so that the length may be dynamic.
///
/// Shapes   x (length, batch, input), (batch, length, input) if batch_first, or (length, input);
///          h and c (num_layers * directions, batch, hidden), without a batch if x has none
/// Throws   ShapeError if the shapes do not fit
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html
struct LSTM : detail::Recurrent, detail::CallWithState<LSTM, LSTMState, LSTMOutput> {
  LSTM() = default;
  LSTM(std::int64_t input, std::int64_t hidden, RecurrentOptions options = {},
       Where where = Where::current())
      : Recurrent(Recurrence::lstm, input, hidden, options, where) {}

  LSTMOutput forward(Operand x) const;
  LSTMOutput forward(Operand x, const LSTMState& state) const;
};

/// GRUCell along a sequence.
///
/// Shapes   as those of LSTM
/// Throws   ShapeError if the shapes do not fit
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.GRU.html
struct GRU : detail::Recurrent, detail::CallWithState<GRU, Tensor, RecurrentOutput> {
  GRU() = default;
  GRU(std::int64_t input, std::int64_t hidden, RecurrentOptions options = {},
      Where where = Where::current())
      : Recurrent(Recurrence::gru, input, hidden, options, where) {}

  RecurrentOutput forward(Operand x) const;
  RecurrentOutput forward(Operand x, const Tensor& h) const;
};

struct RNNOptions {
  std::int64_t num_layers = 1;
  RNNNonlinearity nonlinearity = RNNNonlinearity::tanh;
  bool bias = true;
  bool batch_first = false;
  double dropout = 0;
  bool bidirectional = false;
};

/// h = tanh(x' + h'), or relu of it, along a sequence.
///
/// Shapes   as those of LSTM
/// Throws   ShapeError if the shapes do not fit
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.RNN.html
struct RNN : detail::Recurrent, detail::CallWithState<RNN, Tensor, RecurrentOutput> {
  RNN() = default;
  RNN(std::int64_t input, std::int64_t hidden, const RNNOptions& options = {},
      Where where = Where::current());

  RecurrentOutput forward(Operand x) const;
  RecurrentOutput forward(Operand x, const Tensor& h) const;
};

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/nn/recurrent.ipp>
#endif
