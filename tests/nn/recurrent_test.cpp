// Values are checked against torch in training_test.cpp; here, shapes, states, names and mistakes.

#include <sinter/nn/mode.hpp>
#include <sinter/nn/recurrent.hpp>
#include <sinter/sinter.hpp>

#include "../trace/testing.hpp"

using namespace testing;

namespace {

Tensor sequence(const Shape& shape) { return sin(counting(shape)); }

struct Tagger {
  nn::LSTM lstm{3, 4};
  nn::Linear head{4, 2};
  SINTER_MODULE(Tagger, lstm, head)
  Tensor forward(const Tensor& x) const { return head(lstm(x).output); }
};

}  // namespace

TEST_CASE("LSTM, GRU, RNN: name parameters as torch does") {
  std::string names;
  const nn::LSTM lstm(3, 4, {.layers = 2, .bidirectional = true});
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
  const nn::LSTM lstm(3, 4, {.layers = 2});
  const auto begun = lstm(first);
  CHECK(near(lstm(second, begun.state).output, numbers(lstm(x).output[Slice{4, 6}])));
  CHECK(near(lstm(second, {begun.state.h, begun.state.c}).state.c, numbers(lstm(x).state.c)));
  const nn::GRU gru(3, 4, {.layers = 2});
  CHECK(near(gru(second, gru(first).h).h, numbers(gru(x).h)));
}

TEST_CASE("LSTM, GRU, RNN: batch_first, no batch and two directions have the shapes of torch") {
  const nn::RecurrentOptions both{.layers = 2, .bidirectional = true};
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
  nn::LSTM lstm(3, 4, {.layers = 2, .dropout = 0.5});
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
