#include <sinter/nn/recurrent_cell.hpp>
#include <sinter/trace/index.hpp>
#include <sinter/trace/parameter.hpp>
#include <sinter/trace/random.hpp>

#include "../trace/testing.hpp"

using namespace testing;

namespace {

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
