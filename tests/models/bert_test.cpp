// BERT against Hugging Face's.

#include <sinter/models/bert.hpp>

#include "message_of.hpp"
#include "models/small.hpp"

using namespace reference_models;
using errors::message_of;

TEST_CASE("Bert: outputs and gradients are those of torch, with padding and token types") {
  auto bert = models::Bert(small_bert());
  compare("bert", bert, Form::eager);
}

TEST_CASE("Bert: has the parameters of bert-base-uncased") {
  const auto bert = models::Bert();
  CHECK(nn::parameter_count(bert) == 109482240);
  CHECK(nn::parameter_count(models::Bert({.add_pooling_layer = false})) == 109482240 - 768 * 769);
}

TEST_CASE("Bert: one recording serves batches and lengths; the result converts to a tensor") {
  const auto bert = models::Bert(small_bert());
  auto compiled = compile(bert, {.fullgraph = true});
  for (const int length : {3, 5, 12}) {
    Tensor ids = randint(32, {length - 1, length});
    mark_dynamic(ids, 0);
    mark_dynamic(ids, 1);
    const Tensor expected = bert(ids);
    CHECK(distance(compiled(ids).last_hidden_state, expected) < 1e-5);
  }
  CHECK(compiled.stats().recordings == 1);
}

TEST_CASE("Bert: padding changes nothing; mean_pooling leaves it out") {
  const auto bert = models::Bert(small_bert());
  const Tensor ids = randint(32, {1, 4});
  const Tensor padded = concatenate({ids, zeros({1, 3}, i64)}, 1);
  const Tensor mask = concatenate({ones({1, 4}, i64), zeros({1, 3}, i64)}, 1);
  const Tensor expected = models::mean_pooling(bert(ids), ones({1, 4}));
  CHECK(distance(models::mean_pooling(bert(padded, mask), mask), expected) < 1e-5);
  CHECK(std::fabs(norm(expected).item<float>() - 1) < 1e-6);
}

TEST_CASE("Bert: wrong options and arguments") {
  CHECK(message_of<ValueError>([] {
          models::Bert({.hidden_size = 30, .num_attention_heads = 4});
        }).find("hidden_size % num_attention_heads == 0") != std::string::npos);
  CHECK(message_of<ValueError>([] {
          models::Bert({.num_hidden_layers = 0});
        }).find("num_hidden_layers") != std::string::npos);
  CHECK(message_of<ValueError>([] {
          models::Bert({.num_hidden_layers = 1, .hidden_act = "gelo"});
        }).find("gelo") != std::string::npos);
  const auto bert = models::Bert(small_bert());
  CHECK(message_of<ShapeError>([&] { bert(zeros({2, 13}, i64)); }).find("12") != std::string::npos);
  CHECK(message_of<ShapeError>([&] { bert(zeros({3}, i64)); }).find("unsqueeze") !=
        std::string::npos);
  CHECK(message_of<DTypeError>([&] { bert(zeros({2, 3})); }).find("i64") != std::string::npos);
  CHECK(message_of<ShapeError>([&] {
          bert(zeros({2, 3}, i64), zeros({3}, i64));
        }).find("attention_mask") != std::string::npos);
}
