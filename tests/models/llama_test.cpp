// Decoders like Llama against Hugging Face's.

#include <sinter/models/llama.hpp>

#include "message_of.hpp"
#include "models/small.hpp"

using namespace reference_models;
using errors::message_of;

TEST_CASE("Llama: outputs and gradients are those of torch, with grouped queries and llama3") {
  auto llama = models::Llama(stored_llama());
  compare("llama", llama, Form::eager);
}

TEST_CASE("Llama: logits depend on distances of positions only") {
  const auto llama = models::Llama(small_llama());
  const Tensor ids = randint(32, {2, 6});
  const Tensor shifted = expand(unsqueeze(arange(6) + 7, 0), {2, 6});
  CHECK(distance(llama(ids, Tensor(), shifted), llama(ids)) < 1e-4);
  CHECK(distance(llama(ids, Tensor(), shifted * 2), llama(ids)) > 1e-4);
}

TEST_CASE("Llama: linear scaling divides the positions") {
  models::LlamaOptions options = small_llama();
  const auto plain = models::Llama(options);
  options.rope_scaling = {.rope_type = "linear", .factor = 2};
  auto scaled = models::Llama(options);
  const models::LlamaRotary rotary = scaled.model.rotary_emb;
  scaled = plain;
  scaled.model.rotary_emb = rotary;
  const Tensor ids = randint(32, {1, 5});
  const Tensor doubled = expand(unsqueeze(arange(5) * 2, 0), {1, 5});
  CHECK(distance(scaled(ids, Tensor(), doubled), plain(ids)) < 1e-5);
}

TEST_CASE("Llama: one recording serves lengths; the head may be tied") {
  models::LlamaOptions options = small_llama();
  const std::int64_t apart = nn::parameter_count(models::Llama(options));
  options.tie_word_embeddings = true;
  const auto llama = models::Llama(options);
  CHECK(nn::parameter_count(llama) == apart - 32 * 16);
  auto compiled = compile(llama, {.fullgraph = true});
  for (const int length : {3, 9}) {
    Tensor ids = randint(32, {2, length});
    mark_dynamic(ids, 1);
    CHECK(distance(compiled(ids), llama(ids)) < 1e-5);
  }
  CHECK(compiled.stats().recordings == 1);
}

TEST_CASE("Llama: wrong options") {
  const auto with = [](auto change) {
    models::LlamaOptions options = small_llama();
    change(options);
    return message_of<ValueError>([&] { models::Llama{options}; });
  };
  CHECK(with([](auto& o) { o.num_key_value_heads = 3; }).find("num_key_value_heads") !=
        std::string::npos);
  CHECK(with([](auto& o) { o.head_dim = 7; }).find("head_dim") != std::string::npos);
  CHECK(with([](auto& o) { o.rope_scaling.rope_type = "yarn"; }).find("yarn") != std::string::npos);
  CHECK(with([](auto& o) { o.rope_scaling.factor = 0; }).find("factor") != std::string::npos);
  CHECK(with([](auto& o) { o.hidden_act = "swoosh"; }).find("swoosh") != std::string::npos);
}
