// Continues a text with GPT-2: continue_text [gpt2.safetensors token...]
//
// Texts are the numbers of tokens, which tokenizers such as tiktoken give and take. Without
// arguments the weights are random.
#include <sinter/models.hpp>
#include <sinter/sinter.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace sinter;

// The most probable token behind each sequence.
Tensor next_token(const models::GPT2& model, const Tensor& ids) {
  return argmax(model(ids)[{all, -1}], -1, true);
}

int main(int argc, char** argv) {
  const bool has_weights = argc >= 3;
  auto model =
      has_weights
          ? models::GPT2()
          : models::GPT2(
                {.vocab_size = 100, .n_positions = 64, .n_embd = 32, .n_layer = 2, .n_head = 4});
  std::vector<std::int64_t> tokens{5, 8, 11};
  if (has_weights) {
    models::load_pretrained(model, argv[1]);
    tokens.clear();
    for (int i = 2; i < argc; ++i) tokens.push_back(std::atoll(argv[i]));
  }
  auto next = compile(next_token, {.fullgraph = true});
  Tensor ids = from_vector(tokens, {1, static_cast<std::int64_t>(tokens.size())});
  for (int i = 0; i < 20; ++i) {
    mark_dynamic(ids, 1);  // one recording for all lengths
    ids = concatenate({ids, next(model, ids)}, 1);
  }
  for (const std::int64_t token : ids.to_vector<std::int64_t>()) {
    std::printf("%lld ", static_cast<long long>(token));
  }
  std::printf("\n");
  return next.stats().recordings == 1 ? 0 : 1;
}
