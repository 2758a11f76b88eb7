// test: deep cost=15
// The compiled forms of the transformers, against torch.

#include "models/small.hpp"

using namespace reference_models;

TEST_CASE("compiled models: outputs and gradients are those of torch") {
  auto bert = models::Bert(small_bert());
  compare("bert", bert, Form::compiled);
  auto gpt2 = models::GPT2(small_gpt2());
  compare("gpt2", gpt2, Form::compiled);
  auto llama = models::Llama(stored_llama());
  compare("llama", llama, Form::compiled);
  auto vit = models::VisionTransformer(small_vit());
  compare("vit", vit, Form::compiled);
  auto captioner = small_captioner();
  compare("captioner", captioner, Form::compiled);
}
