// test: moved
// Values are checked against torch in training_test.cpp; here, shapes, states, names and mistakes.

#include <sinter/nn/mode.hpp>
#include <sinter/nn/recurrent.hpp>
#include <sinter/sinter.hpp>

#include "trace/testing.hpp"

using namespace testing;

namespace {

Tensor sequence(const Shape& shape) { return sin(counting(shape)); }

// The cell with weights that are all `number`.
template <class Cell>
Cell filled(Cell cell, float number) {
  nn::for_each_parameter(cell, [&](const std::string&, Tensor& parameter) {
    parameter = full_like(parameter, number);
  });
  return cell;
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

std::string names_of(const auto& cell) {
  std::string result;
  for (const auto& [name, parameter] : nn::named_parameters(cell)) {
    result += name + " " + to_string(parameter) + " ";
  }
  return result;
}

struct Tagger {
  nn::LSTM lstm{3, 4};
  nn::Linear head{4, 2};
  SINTER_MODULE(Tagger, lstm, head)
  Tensor forward(const Tensor& x) const { return head(lstm(x).output); }
};

}  // namespace

TEST_CASE("LSTMCell, GRUCell, RNNCell: are weights of the names and shapes of torch") {
  CHECK(names_of(nn::LSTMCell(3, 2)) ==
        "weight_ih f32[8, 3] weight_hh f32[8, 2] bias_ih f32[8] bias_hh f32[8] ");
  CHECK(names_of(nn::GRUCell(3, 2, {.bias = false})) == "weight_ih f32[6, 3] weight_hh f32[6, 2] ");
  CHECK(names_of(nn::RNNCell(3, 2)) ==
        "weight_ih f32[2, 3] weight_hh f32[2, 2] bias_ih f32[2] bias_hh f32[2] ");
}

TEST_CASE("LSTMCell, GRUCell, RNNCell: start uniform within 1 / sqrt(hidden), as torch") {
  random::manual_seed(1);
  const nn::LSTMCell cell(50, 100);
  double largest = 0;
  for (const double x : numbers(cell.weight_ih)) largest = std::fmax(largest, std::fabs(x));
  CHECK(largest <= 0.1);
  CHECK(largest > 0.099);
}

TEST_CASE("LSTMCell: is its formula") {
  const nn::LSTMCell cell = filled(nn::LSTMCell(2, 1), 0.5f);
  const nn::LSTMState state = cell(vector({1, 2}), {vector({0.25f}), vector({-0.5f})});

  const double sum = 0.5 * 3 + 0.5 + 0.5 * 0.25 + 0.5;
  const double c = logistic(sum) * -0.5 + logistic(sum) * std::tanh(sum);
  CHECK(near(state.c, {c}));
  CHECK(near(state.h, {logistic(sum) * std::tanh(c)}));
}

TEST_CASE("LSTMCell: its gates are input, forget, cell and output, in this order") {
  nn::LSTMCell cell = filled(nn::LSTMCell(1, 1), 0);
  cell.bias_ih = vector({1, 2, 3, 4});
  const nn::LSTMState state = cell(vector({0}), {vector({0}), vector({10})});
  const double c = logistic(2) * 10 + logistic(1) * std::tanh(3.0);
  CHECK(near(state.c, {c}));
  CHECK(near(state.h, {logistic(4) * std::tanh(c)}));
}

TEST_CASE("GRUCell: its gates are reset, update and new, in this order") {
  nn::GRUCell cell = filled(nn::GRUCell(1, 1), 0);
  cell.bias_ih = vector({1, 2, 3});
  cell.bias_hh = vector({0, 0, 5});
  const double n = std::tanh(3 + logistic(1) * 5);
  CHECK(near(cell(vector({0}), vector({10})), {(1 - logistic(2)) * n + logistic(2) * 10}));
}

TEST_CASE("RNNCell: is its formula") {
  const nn::RNNCell cell = filled(nn::RNNCell(2, 1), 0.5f);
  CHECK(near(cell(vector({1, 2}), vector({4})), {std::tanh(0.5 * 3 + 0.5 + 2 + 0.5)}));
}

TEST_CASE("LSTMCell, GRUCell, RNNCell: start with zeros, for inputs of any rank") {
  const nn::LSTMCell lstm(3, 2);
  const Tensor x = counting({4, 5, 3}) * 0.01f, none = zeros({4, 5, 2});
  CHECK(near(lstm(x).h, numbers(lstm(x, {none, none}).h)));
  const nn::GRUCell gru(3, 2);
  CHECK(near(gru(x), numbers(gru(x, none))));
  const nn::RNNCell rnn(3, 2);
  CHECK(near(rnn(x[0][0]), numbers(rnn(x, none)[0][0])));
}

TEST_CASE("LSTMCell, GRUCell: mistakes name the line of the caller") {
  const nn::LSTMCell lstm(3, 2);
  const nn::GRUCell gru(3, 2);
  MISTAKE(ShapeError, lstm(ones({4, 5})), "f32[4, 5]", "f32[8, 3]");
  MISTAKE(ShapeError, gru(ones({4, 3}), ones({4, 3})), "f32[4, 3]", "f32[6, 2]");
}

TEST_CASE("LSTM, GRU, RNN: name parameters as torch does") {
  std::string names;
  const nn::LSTM lstm(3, 4, {.num_layers = 2, .bidirectional = true});
  for (const auto& [name, parameter] : nn::named_parameters(lstm)) {
    if (name.rfind("weight_ih", 0) == 0) names += name + " " + to_string(parameter) + " ";
  }
  CHECK(names ==
        "weight_ih_l0 f32[16, 3] weight_ih_l0_reverse f32[16, 3] "
        "weight_ih_l1 f32[16, 8] weight_ih_l1_reverse f32[16, 8] ");
  CHECK(nn::parameter_count(nn::GRU(3, 4)) == 12 * (3 + 4 + 2));
  CHECK(nn::parameter_count(nn::RNN(3, 4, {.bias = false})) == 4 * (3 + 4));
  CHECK(nn::named_parameters(Tagger()).front().first == "lstm.bias_hh_l0");
}

TEST_CASE("LSTM: is its cell, step by step") {
  const nn::LSTM lstm(3, 4);
  nn::LSTMCell cell(3, 4);
  cell.weight_ih = lstm.weights.at("weight_ih_l0"), cell.bias_ih = lstm.weights.at("bias_ih_l0");
  cell.weight_hh = lstm.weights.at("weight_hh_l0"), cell.bias_hh = lstm.weights.at("bias_hh_l0");
  const Tensor x = sequence({5, 2, 3});

  const auto [output, state] = lstm(x);
  nn::LSTMState expected{zeros({2, 4}), zeros({2, 4})};
  for (int step = 0; step < 5; ++step) {
    expected = cell(x[step], expected);
    CHECK(near(output[step], numbers(expected.h)));
  }
  CHECK(to_string(state.h) == "f32[1, 2, 4]");
  CHECK(near(state.c[0], numbers(expected.c)));
}

TEST_CASE("LSTM, GRU: two halves of a sequence are the whole, if the state is passed on") {
  const Tensor x = sequence({6, 2, 3});
  const Tensor first = x[Slice{0, 4}], second = x[Slice{4, 6}];
  const nn::LSTM lstm(3, 4, {.num_layers = 2});
  const auto begun = lstm(first);
  CHECK(near(lstm(second, begun.state).output, numbers(lstm(x).output[Slice{4, 6}])));
  CHECK(near(lstm(second, {begun.state.h, begun.state.c}).state.c, numbers(lstm(x).state.c)));
  const nn::GRU gru(3, 4, {.num_layers = 2});
  CHECK(near(gru(second, gru(first).h).h, numbers(gru(x).h)));
}

TEST_CASE("LSTM, GRU, RNN: batch_first, no batch and two directions have the shapes of torch") {
  const nn::RecurrentOptions both{.num_layers = 2, .bidirectional = true};
  const auto [output, state] = nn::LSTM(3, 4, both)(sequence({5, 2, 3}));
  CHECK(to_string(output) == "f32[5, 2, 8]");
  CHECK(to_string(state.c) == "f32[4, 2, 4]");
  const auto single = nn::GRU(3, 4, both)(sequence({5, 3}));
  CHECK(to_string(single.output) == "f32[5, 8]");
  CHECK(to_string(single.h) == "f32[4, 4]");

  nn::RNN rnn(3, 4);
  const Tensor x = sequence({5, 2, 3});
  const Numbers expected = numbers(transpose(rnn(x).output, 0, 1));
  rnn.batch_first = true;
  const auto turned = rnn(transpose(x, 0, 1));
  CHECK(near(turned.output, expected));
  CHECK(to_string(turned.h) == "f32[1, 2, 4]");
}

TEST_CASE("GRU: the way back is the way there, of the sequence from its end") {
  nn::GRU gru(3, 4, {.bidirectional = true});
  for (const char* name : {"weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"}) {
    gru.weights[std::string(name) + "_reverse"] = gru.weights.at(name);
  }
  const Tensor x = sequence({5, 2, 3});
  const Tensor there = gru(flip(x, 0)).output[{ellipsis, Slice{0, 4}}];
  CHECK(near(gru(x).output[{ellipsis, Slice{4, 8}}], numbers(flip(there, 0))));
}

TEST_CASE("LSTM: dropout is between layers, while training") {
  random::manual_seed(1);
  nn::LSTM lstm(3, 4, {.num_layers = 2, .dropout = 0.5});
  const Tensor x = sequence({5, 2, 3});
  CHECK(numbers(lstm(x).output) != numbers(lstm(x).output));
  nn::eval(lstm);
  CHECK(near(lstm(x).output, numbers(lstm(x).output), 0));
}

TEST_CASE("LSTM: sequences of any length are one recording") {
  Tagger tagger;
  const auto compiled = compile(tagger, {.fullgraph = true});
  for (const int length : {5, 1, 12, 7}) {
    Tensor x = sequence({length, 2, 3});
    mark_dynamic(x, 0);
    CHECK(near(compiled(x), numbers(tagger(x)), 1e-5));
  }
  CHECK(compiled.stats().recordings == 1);
}

TEST_CASE("LSTM: 16 bits and 64 bits stay what they are") {
  for (const DType dtype : {f16, bf16, f64}) {
    nn::LSTM lstm(3, 4);
    nn::to(lstm, dtype);
    const auto [output, state] = lstm(sequence({5, 2, 3}).to(dtype));
    CHECK(output.dtype() == dtype);
    CHECK(state.c.dtype() == dtype);
  }
}

TEST_CASE("LSTM, GRU: mistakes name the line, the values, the rule and the way out") {
  const nn::LSTM lstm(3, 4);
  const nn::GRU gru(3, 4, {.batch_first = true});
  MISTAKE(ShapeError, lstm(ones({5, 2, 4})), "LSTM: ", "f32[5, 2, 4]", "(length, batch, 3)");
  MISTAKE(ShapeError, gru(ones({3})), "GRU: ", "(batch, length, 3)");
  MISTAKE(ShapeError, lstm(ones({5, 2, 3}), {ones({2, 4}), ones({2, 4})}), "(1, batch, 4)");
}
