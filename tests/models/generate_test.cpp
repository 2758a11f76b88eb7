// Greedy and beam search, against searches without a cache.

#include <sinter/models/generate.hpp>
#include <sinter/models/gpt2.hpp>
#include <sinter/models/llama.hpp>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "message_of.hpp"
#include "models/small.hpp"

using namespace reference_models;
using errors::message_of;

namespace {

// With few tokens, and weights so large that continuations differ in probability.
models::GPT2 small_decoder(std::int64_t vocabulary = 5) {
  models::GPT2Options options = small_gpt2();
  options.vocab_size = vocabulary;
  options.initializer_range = 0.5;
  return models::GPT2(options);
}

using Ids = std::vector<std::int64_t>;

Ids to_ids(const Tensor& x) { return x.to_vector<std::int64_t>(); }

// Without a cache: the most probable token, again and again.
Tensor greedy(const models::GPT2& model, Tensor ids, int tokens) {
  for (int i = 0; i < tokens; ++i) {
    ids = concatenate({ids, argmax(model(ids)[{all, -1}], -1, true)}, 1);
  }
  return ids;
}

struct Best {
  Ids ids{};
  double score = -std::numeric_limits<double>::infinity();
};

// Tries all continuations of `ids`.
void search_all(const models::GPT2& model, const Ids& ids, std::size_t length, double score,
                std::optional<std::int64_t> end, Best& best) {
  if (ids.size() == length || (end && ids.back() == *end)) {
    if (score <= best.score) return;
    best = {ids, score};
    best.ids.resize(length, end.value_or(0));
    return;
  }
  const Tensor input = from_vector(ids, {1, static_cast<std::int64_t>(ids.size())});
  const auto next = log_softmax(model(input)[{0, -1}], -1).to_vector<float>();
  for (std::size_t token = 0; token < next.size(); ++token) {
    Ids longer = ids;
    longer.push_back(static_cast<std::int64_t>(token));
    search_all(model, longer, length, score + static_cast<double>(next[token]), end, best);
  }
}

}  // namespace

TEST_CASE("generate: greedy search is that without a cache, and scores are its probabilities") {
  random::manual_seed(4);
  const models::GPT2 model = small_decoder(32);
  const Tensor prompt = randint(32, {3, 2});
  const auto [ids, scores] = generate(model, prompt, model.new_cache(3, 12), {.max_tokens = 10});
  CHECK(to_ids(ids) == to_ids(greedy(model, prompt, 10)));
  const Tensor all_scores = log_softmax(model(ids[{all, Slice{0, -1}}]), -1)[{all, Slice{1, {}}}];
  const Tensor chosen = take_along_axis(all_scores, ids[{all, Slice{2, {}}, newaxis}], 2);
  CHECK(distance(scores, sum(chosen, Axes{1, 2})) < 1e-4);
}

TEST_CASE("generate: beams that keep everything find the best of all continuations") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    random::manual_seed(seed);
    const models::GPT2 model = small_decoder();
    const Tensor prompt = randint(5, {2, 2});
    for (const std::optional<std::int64_t> end : {std::optional<std::int64_t>(), {2}}) {
      const auto [ids, scores] = generate(model, prompt, model.new_cache(2, 12),
                                          {.max_tokens = 3, .beams = 125, .end_token = end});
      for (int i = 0; i < 2; ++i) {
        Best best;
        search_all(model, to_ids(prompt[i]), 5, 0, end, best);
        CHECK(to_ids(ids[i]) == best.ids);
        CHECK(std::fabs(scores[i].item<double>() - best.score) < 1e-4);
      }
    }
  }
}

TEST_CASE("generate: beams find continuations that greedy search does not") {
  random::manual_seed(5);
  const models::GPT2 model = small_decoder();
  const Tensor prompt = randint(5, {16, 1});
  const auto one = generate(model, prompt, model.new_cache(16, 12), {.max_tokens = 8});
  const auto four = generate(model, prompt, model.new_cache(16, 12), {.max_tokens = 8, .beams = 4});
  CHECK(all(four.scores >= one.scores - 1e-4f).item<bool>());
  CHECK(any(four.scores > one.scores + 0.1f).item<bool>());
}

TEST_CASE("generate: a sequence that has ended is filled up with its end") {
  random::manual_seed(6);
  const models::GPT2 model = small_decoder();
  const Tensor prompt = randint(5, {8, 1});
  const Ids whole = to_ids(generate(model, prompt, model.new_cache(8, 12), {.max_tokens = 9}).ids);
  const Ids ended = to_ids(
      generate(model, prompt, model.new_cache(8, 12), {.max_tokens = 9, .end_token = 3}).ids);
  for (std::size_t row = 0; row < 8; ++row) {
    bool has_ended = false;
    for (std::size_t i = row * 10 + 1; i < row * 10 + 10; ++i) {
      CHECK(ended[i] == (has_ended ? 3 : whole[i]));
      has_ended = has_ended || whole[i] == 3;
    }
  }
}

TEST_CASE("generate: a cache that has tokens goes on behind them") {
  random::manual_seed(7);
  const models::GPT2 model = small_decoder(32);
  const Tensor prompt = randint(32, {2, 4});
  models::DecoderCache cache = model.new_cache(2, 12);
  (void)model.next(prompt[{all, Slice{0, 3}}], cache);
  const Tensor ids = generate(model, prompt[{all, Slice{3, {}}}], cache, {.max_tokens = 5}).ids;
  CHECK(to_ids(ids) == to_ids(greedy(model, prompt, 5)[{all, Slice{3, {}}}]));
}

TEST_CASE("generate: Llama, whose query heads share keys") {
  const auto model = models::Llama(small_llama());
  const Tensor prompt = randint(32, {2, 3});
  Tensor ids = prompt;
  for (int i = 0; i < 6; ++i) {
    ids = concatenate({ids, argmax(model(ids)[{all, -1}], -1, true)}, 1);
  }
  CHECK(to_ids(generate(model, prompt, model.new_cache(2, 9), {.max_tokens = 6}).ids) ==
        to_ids(ids));
}

TEST_CASE("generate: wrong options, and too few positions") {
  const models::GPT2 model = small_decoder();
  const Tensor prompt = zeros({1, 3}, i64);
  const auto message = [&](const models::GenerateOptions& options) {
    return message_of<ValueError>(
        [&] { (void)generate(model, prompt, model.new_cache(1, 8), options); });
  };
  CHECK(message({.max_tokens = 0}).find("max_tokens") != std::string::npos);
  CHECK(message({.max_tokens = 2, .beams = 0}).find("beams") != std::string::npos);
  CHECK(message({.max_tokens = 6}).find("make a cache of 9 positions") != std::string::npos);
  CHECK(message_of<ValueError>([&] {
          (void)generate(model, prompt, models::DecoderCache(), {.max_tokens = 2});
        }).find("new_cache()") != std::string::npos);
}
