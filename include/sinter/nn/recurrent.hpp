#pragma once
// Recurrent networks: layers that go over a sequence step by step, as one loop of the graph.

#include <cstdint>  // std::int64_t
#include <map>      // std::map
#include <string>   // std::string

#include <sinter/config.hpp>
#include <sinter/nn/recurrent_cell.hpp>
#include <sinter/trace/module.hpp>
#include <sinter/trace/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

struct RecurrentOptions {
  std::int64_t layers = 1;
  bool bias = true;
  bool batch_first = false;    ///< Axes batch, length, features; else length, batch, features.
  double dropout = 0;          ///< Of what one layer gives to the next, while training.
  bool bidirectional = false;  ///< Each layer also goes over the sequence from its end.
};

/// Which function an RNN has.
enum class RNNNonlinearity : std::uint8_t { tanh, relu };

namespace detail {

/// What RNN, LSTM and GRU share.
struct Recurrent {
  /// By the names that torch has for them: weight_ih_l0, bias_hh_l1_reverse.
  std::map<std::string, Tensor> weights{};
  Recurrence recurrence{};
  std::int64_t input_size = 0, hidden_size = 0, layers = 0;
  bool bias = true, batch_first = false, bidirectional = false, training = true;
  double dropout = 0;

  // Without a name for `weights`, so that parameters are called as in torch.
  struct hana_accessors_impl {
    template <class Self = Recurrent>
    static constexpr auto apply() {
      return boost::hana::make_tuple(
          SINTER_NAMED_MEMBER(Self, "", weights),
          SINTER_FOR_EACH(SINTER_MEMBER, Self, recurrence, input_size, hidden_size, layers, bias,
                          batch_first, bidirectional, training, dropout));
    }
  };

  Recurrent() = default;
  Recurrent(Recurrence kind, std::int64_t inputs, std::int64_t hiddens,
            const RecurrentOptions& options, Where where);

  /// What the last layer gives in each step, and the last state of each layer and direction.
  std::pair<Tensor, RecurrentState> run(const Operand& x, RecurrentState state) const;

 private:
  RecurrentWeights weights_of(std::int64_t layer, bool is_reverse, Where where) const;
  std::pair<Tensor, RecurrentState> run_layer(const Tensor& x, const RecurrentState& state,
                                              std::int64_t layer, bool is_reverse,
                                              Where where) const;
};

}  // namespace detail

/// What an RNN or GRU gives: `output` (length, batch, directions * hidden), what the last layer
/// gives in each step; and `h` (layers * directions, batch, hidden), the last of each layer.
struct RecurrentOutput {
  Tensor output, h;
  SINTER_MODULE(RecurrentOutput, output, h)
};

/// The same of an LSTM: auto [output, state] = lstm(x).
struct LSTMOutput {
  Tensor output;
  LSTMState state;
  SINTER_MODULE(LSTMOutput, output, state)
};

/// LSTMCell along a sequence. The loop is part of the graph, so that the length may be dynamic.
///
/// Shapes   x (length, batch, input), (batch, length, input) if batch_first, or (length, input);
///          h and c (layers * directions, batch, hidden), without a batch if x has none
/// Throws   ShapeError if the shapes are others
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html
struct LSTM : detail::Recurrent {
  LSTM() = default;
  LSTM(std::int64_t input, std::int64_t hidden, RecurrentOptions options = {},
       Where where = Where::current())
      : Recurrent(Recurrence::lstm, input, hidden, options, where) {}

  LSTMOutput forward(Operand x) const;
  LSTMOutput forward(Operand x, const LSTMState& state) const;
  LSTMOutput operator()(Operand x) const {
    const sinter::detail::ModuleScope scope(this);
    return forward(x);
  }
  LSTMOutput operator()(Operand x, const LSTMState& state) const {
    const sinter::detail::ModuleScope scope(this);
    return forward(x, state);
  }
};

/// GRUCell along a sequence.
///
/// Shapes   as those of LSTM
/// Throws   ShapeError if the shapes are others
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.GRU.html
struct GRU : detail::Recurrent {
  GRU() = default;
  GRU(std::int64_t input, std::int64_t hidden, RecurrentOptions options = {},
      Where where = Where::current())
      : Recurrent(Recurrence::gru, input, hidden, options, where) {}

  RecurrentOutput forward(Operand x) const;
  RecurrentOutput forward(Operand x, const Tensor& h) const;
  RecurrentOutput operator()(Operand x) const {
    const sinter::detail::ModuleScope scope(this);
    return forward(x);
  }
  RecurrentOutput operator()(Operand x, const Tensor& h) const {
    const sinter::detail::ModuleScope scope(this);
    return forward(x, h);
  }
};

struct RNNOptions {
  std::int64_t layers = 1;
  RNNNonlinearity nonlinearity = RNNNonlinearity::tanh;
  bool bias = true;
  bool batch_first = false;
  double dropout = 0;
  bool bidirectional = false;
};

/// h = tanh(x' + h'), or relu of it, along a sequence.
///
/// Shapes   as those of LSTM
/// Throws   ShapeError if the shapes are others
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.RNN.html
struct RNN : detail::Recurrent {
  RNN() = default;
  RNN(std::int64_t input, std::int64_t hidden, const RNNOptions& options = {},
      Where where = Where::current());

  RecurrentOutput forward(Operand x) const;
  RecurrentOutput forward(Operand x, const Tensor& h) const;
  RecurrentOutput operator()(Operand x) const {
    const sinter::detail::ModuleScope scope(this);
    return forward(x);
  }
  RecurrentOutput operator()(Operand x, const Tensor& h) const {
    const sinter::detail::ModuleScope scope(this);
    return forward(x, h);
  }
};

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/nn/recurrent.ipp>
#endif
