// Continues a text with GPT-2, by beam search: continue_text [gpt2.safetensors token...]
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
  const auto length = static_cast<std::int64_t>(tokens.size());
  const Tensor prompt = from_vector(tokens, {1, length});
  const auto [ids, scores] = models::generate(model, prompt, model.new_cache(1, length + 20),
                                              {.max_tokens = 20, .beams = 4});
  for (const std::int64_t token : ids.to_vector<std::int64_t>()) {
    std::printf("%lld ", static_cast<long long>(token));
  }
  std::printf("\nlogarithm of its probability: %.3f\n", scores.item<double>());
  return ids.size(1) == length + 20 ? 0 : 1;
}
