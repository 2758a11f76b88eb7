// GPT-2 against Hugging Face's.

#include <sinter/models/gpt2.hpp>

#include "message_of.hpp"
#include "models/small.hpp"

using namespace reference_models;
using errors::message_of;

namespace {

Tensor next_token_loss(const models::GPT2& model, const Tensor& ids) {
  const Tensor logits = model(ids[{all, Slice{0, -1}}]);
  return cross_entropy(reshape(logits, {-1, logits.size(-1)}),
                       reshape(ids[{all, Slice{1, {}}}], {-1}));
}

}  // namespace

TEST_CASE("GPT2: outputs and gradients are those of torch, with padding on the left") {
  auto gpt2 = models::GPT2(small_gpt2());
  compare("gpt2", gpt2, Form::eager);
}

TEST_CASE("GPT2: has the parameters of gpt2; the head is tied, or a layer of its own") {
  CHECK(nn::parameter_count(models::GPT2()) == 124439808);
  models::GPT2Options options = small_gpt2();
  const std::int64_t tied = nn::parameter_count(models::GPT2(options));
  options.tie_word_embeddings = false;
  CHECK(nn::parameter_count(models::GPT2(options)) == tied + 32 * 16);
}

TEST_CASE("GPT2: a position does not depend on later ones") {
  const auto gpt2 = models::GPT2(small_gpt2());
  const Tensor ids = randint(32, {2, 8});
  const Tensor whole = gpt2(ids);
  CHECK(distance(gpt2(ids[{all, Slice{0, 5}}]), whole[{all, Slice{0, 5}}]) < 1e-5);
}

TEST_CASE("GPT2: trains over lengths by one recording, and dropout is on after train()") {
  auto gpt2 = models::GPT2(small_gpt2());
  const Tensor two = randint(32, {2, 4});
  CHECK(distance(gpt2(two), gpt2(two)) == 0);
  nn::train(gpt2);
  CHECK(distance(gpt2(two), gpt2(two)) > 0.01);
  nn::eval(gpt2);
  optim::AdamW optimizer{.learning_rate = 1e-2f};
  const auto step = [](models::GPT2& model, optim::AdamW& with, const Tensor& ids) {
    auto [loss, gradients] = value_and_grad(model, [&] { return next_token_loss(model, ids); });
    with.step(model, gradients);
    return loss;
  };
  auto train = compile(step, {.fullgraph = true});
  float first = 0, last = 0;
  for (int i = 0; i < 40; ++i) {
    Tensor ids = expand(unsqueeze(arange(5 + i % 6) * 3 % 32, 0), {2, 5 + i % 6});
    mark_dynamic(ids, 1);
    last = train(gpt2, optimizer, ids).item<float>();
    if (i == 0) first = last;
  }
  CHECK(last < 0.3f * first);
  CHECK(train.stats().recordings == 1);
}

TEST_CASE("GPT2: wrong options and arguments") {
  models::GPT2Options options = small_gpt2();
  options.n_head = 3;
  CHECK(message_of<ValueError>([&] { models::GPT2{options}; }).find("n_embd % n_head == 0") !=
        std::string::npos);
  options = small_gpt2();
  options.activation_function = "gelu_old";
  CHECK(message_of<ValueError>([&] { models::GPT2{options}; }).find("gelu_new") !=
        std::string::npos);
  const auto gpt2 = models::GPT2(small_gpt2());
  CHECK(message_of<ShapeError>([&] {
          gpt2(zeros({1, 13}, i64));
        }).find("n_positions") != std::string::npos);
  CHECK(message_of<ValueError>([&] {
          gpt2(zeros({1, 3}, i64), Tensor(), Tensor(), zeros({1, 2, 16}));
        }).find("add_cross_attention") != std::string::npos);
  options = small_gpt2();
  options.add_cross_attention = true;
  const auto decoder = models::GPT2(options);
  CHECK(message_of<ShapeError>([&] {
          decoder(zeros({1, 3}, i64), Tensor(), Tensor(), zeros({1, 2, 8}));
        }).find("n_embd") != std::string::npos);
}
