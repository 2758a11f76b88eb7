// Continues a text with GPT-2, by beam search: continue_text [gpt2.safetensors token...]
//
// Texts are the numbers of tokens, which tokenizers such as tiktoken give and take. Without
// arguments the weights are random.
#include <sinter/models.hpp>
#include <sinter/sinter.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "../command_line.hpp"

using namespace sinter;

const char* const help =
    "continue_text [weights token...]\n"
    "  weights   a safetensors file, or a folder with one, of Hugging Face's gpt2\n"
    "  token     the numbers of the tokens of a text\n"
    "  Without them the weights are random.\n";

int run(const std::vector<std::string>& arguments) {
  const bool has_weights = !arguments.empty();
  if (arguments.size() == 1) command_line::throw_number_of_arguments();
  auto model =
      has_weights
          ? models::GPT2()
          : models::GPT2(
                {.vocab_size = 100, .n_positions = 64, .n_embd = 32, .n_layer = 2, .n_head = 4});
  std::vector<std::int64_t> tokens{5, 8, 11};
  if (has_weights) {
    models::load_pretrained(model, arguments[0]);
    tokens.clear();
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      tokens.push_back(command_line::count_of(arguments[i], 0));
    }
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

int main(int argc, char** argv) { return command_line::run(argc, argv, help, run); }
