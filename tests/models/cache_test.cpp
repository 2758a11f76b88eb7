// Decoding with a cache, against decoding all tokens anew.

#include <sinter/models/cache.hpp>
#include <sinter/models/captioner.hpp>
#include <sinter/models/gpt2.hpp>
#include <sinter/models/llama.hpp>

#include "message_of.hpp"
#include "models/small.hpp"

using namespace reference_models;
using errors::message_of;

namespace {

// The logits of each token behind the first three, which are read at once.
template <class Model>
double distance_of_next(const Model& model, const Tensor& ids, models::DecoderCache cache,
                        const Tensor& whole) {
  double result = distance(model.next(ids[{all, Slice{0, 3}}], cache), whole[{all, 2}]);
  for (int i = 3; i < 8; ++i) {
    const Tensor logits = model.next(ids[{all, Slice{i, i + 1}}], cache);
    result = std::max(result, distance(logits, whole[{all, i}]));
  }
  CHECK(cache.length.item<int>() == 8);
  return result;
}

Tensor next(const models::GPT2& model, const Tensor& ids, models::DecoderCache& cache) {
  return model.next(ids, cache);
}

}  // namespace

TEST_CASE("DecoderCache: next() gives the logits of the whole sequence") {
  const Tensor ids = randint(24, {2, 8});
  const auto gpt2 = models::GPT2(small_gpt2());
  CHECK(distance_of_next(gpt2, ids, gpt2.new_cache(2, 12), gpt2(ids)) < 1e-5);
  const auto llama = models::Llama(small_llama());
  CHECK(distance_of_next(llama, ids, llama.new_cache(2, 8), llama(ids)) < 1e-5);
  const auto captioner = small_captioner();
  const Tensor images = randn({2, 3, 8, 8});
  CHECK(distance_of_next(captioner, ids, captioner.new_cache(captioner.encode(images), 8),
                         captioner(images, ids)) < 1e-5);
}

TEST_CASE("DecoderCache: a compiled function writes into its memory; one recording, all lengths") {
  const auto gpt2 = models::GPT2(small_gpt2());
  const Tensor ids = randint(32, {2, 8}), whole = gpt2(ids);
  auto step = compile(next, {.fullgraph = true});
  models::DecoderCache cache = gpt2.new_cache(2, 12);
  const float* keys = nullptr;
  for (int i = 0; i < 8; ++i) {
    const Tensor logits = step(gpt2, ids[{all, Slice{i, i + 1}}], cache);
    CHECK(distance(logits, whole[{all, i}]) < 1e-5);
    if (i != 0) CHECK(cache.layers[1].keys.data<float>() == keys);
    keys = cache.layers[1].keys.data<float>();
  }
  CHECK(step.stats().recordings == 1);
}

TEST_CASE("DecoderCache: a step writes the new rows of the cache, not all positions") {
  models::GPT2Options options = small_gpt2();
  options.n_positions = 512;
  const auto gpt2 = models::GPT2(options);
  auto step = compile(next, {.fullgraph = true});
  models::DecoderCache cache = gpt2.new_cache(4, 512);
  for (int i = 0; i < 3; ++i) (void)step(gpt2, zeros({4, 1}, i64), cache);
  const std::int64_t whole = 2 * 2 * 4 * 512 * 16 * 4;  // layers, keys and values, floats
  CHECK(step.stats().bytes_written < whole / 4);
}

TEST_CASE("DecoderCache: a token that the vocabulary lacks changes nothing") {
  const auto gpt2 = models::GPT2(small_gpt2());
  auto step = compile(next, {.fullgraph = true});
  models::DecoderCache cache = gpt2.new_cache(2, 12);
  for (int i = 0; i < 3; ++i) (void)step(gpt2, full({2, 1}, 7, i64), cache);
  const auto keys = cache.layers[0].keys.to_vector<float>();
  CHECK_THROWS_AS((void)step(gpt2, full({2, 1}, 32, i64), cache), IndexError);
  CHECK(cache.layers[0].keys.to_vector<float>() == keys);
  CHECK(cache.length.item<int>() == 3);
}

TEST_CASE("DecoderCache: sequences that are selected go on as theirs") {
  const auto gpt2 = models::GPT2(small_gpt2());
  const Tensor ids = randint(32, {3, 4});
  models::DecoderCache cache = gpt2.new_cache(3, 12);
  (void)gpt2.next(ids[{all, Slice{0, 3}}], cache);
  const Tensor rows = from_vector(std::vector<std::int64_t>{2, 0, 2, 1}, {4});
  select_sequences(cache, rows);
  const Tensor other = index_select(ids, 0, rows);
  CHECK(distance(gpt2.next(other[{all, Slice{3, 4}}], cache), gpt2(other)[{all, -1}]) < 1e-5);
}

TEST_CASE("DecoderCache: of another model, another batch, or full") {
  const auto gpt2 = models::GPT2(small_gpt2());
  models::DecoderCache empty, cache = gpt2.new_cache(2, 4);
  const Tensor ids = zeros({2, 3}, i64);
  CHECK(message_of<ValueError>([&] { (void)gpt2.next(ids, empty); }).find("new_cache()") !=
        std::string::npos);
  const auto captioner = small_captioner();
  models::DecoderCache captions = captioner.new_cache(captioner.encode(randn({2, 3, 8, 8})), 8);
  CHECK(message_of<ValueError>([&] {
          (void)gpt2.next(ids, captions);
        }).find("not one of this model") != std::string::npos);
  CHECK(message_of<ShapeError>([&] {
          (void)gpt2.next(zeros({3, 3}, i64), cache);
        }).find("select_sequences()") != std::string::npos);
  CHECK(message_of<ValueError>([&] { (void)gpt2.new_cache(2, 13); }).find("positions 13") !=
        std::string::npos);
  (void)gpt2.next(ids, cache);
  CHECK_THROWS_AS((void)gpt2.next(ids, cache).to_vector<float>(), IndexError);
}
