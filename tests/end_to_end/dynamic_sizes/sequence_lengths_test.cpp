// test: deep moved cost=30
// Promise 2.13 on sequences of many lengths: a small attention decoder, in batches of 8 that are
// padded to the longest of each, for 2,000 steps. 0.90 of the sequences have 5 to 31 tokens, 0.09
// have 33 to 63, and 0.01 have 65 to 255.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::by_device;

namespace {

constexpr int width = 16, tokens = 32;
const int batch = by_device(8, 2), steps = by_device(2000, 6);

// SINTER_CHECK traces each call once more, which takes much longer than the call.
const int fewer_steps = jit::checks() ? by_device(steps / 4, 5) : steps;

// One layer of causal attention and an MLP of two linear layers.
struct Layer {
  nn::LayerNorm before{width}, between{width};
  nn::Linear queries{width, width}, keys{width, width}, values{width, width};
  nn::Linear up{width, 2 * width}, down{2 * width, width};
  SINTER_MODULE(Layer, before, between, queries, keys, values, up, down)

  Tensor forward(const Tensor& x) const {
    const Tensor seen = x + attention(before(x));
    return seen + down(gelu(up(between(seen))));
  }

  Tensor attention(const Tensor& x) const {
    const Tensor scores = matmul(queries(x), transpose(keys(x), 1, 2)) / sqrt(Extent(width));
    const Tensor at = arange(x.size(1));
    const Tensor is_later = unsqueeze(at, 0) > unsqueeze(at, 1);
    return matmul(softmax(where(is_later, -infinity, scores), -1), values(x));
  }
};

struct Decoder {
  nn::Embedding embedding{tokens, width};
  std::vector<Layer> layers = std::vector<Layer>(2);
  nn::LayerNorm norm{width};
  nn::Linear head{width, tokens};
  SINTER_MODULE(Decoder, embedding, layers, norm, head)

  Tensor forward(const Tensor& input) const {
    Tensor x = embedding(input);
    for (const Layer& layer : layers) x = layer(x);
    return head(norm(x));
  }
};

// The length of one batch: of its longest sequence.
int longest(std::mt19937& random) {
  int result = 0;
  for (int i = 0; i < batch; ++i) {
    const auto kind = random() % 100;
    const auto between = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    const int length = kind < 90 ? between(5, 31) : kind < 99 ? between(33, 63) : between(65, 255);
    result = std::max(result, length);
  }
  return result;
}

Tensor batch_of(int length, std::mt19937& random) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(batch * length));
  for (std::int64_t& token : all) token = static_cast<std::int64_t>(random() % tokens);
  return from_vector(all, {batch, length});
}

const std::vector<std::int64_t> bucket_sizes{32, 64, 96, 128, 160, 192, 224, 256};

// Runs `count` steps; each 100th is compared with the eager backend. `prepare` marks the tokens.
template <class Prepare>
std::set<int> run(const Compiled<Decoder&>& f, Decoder& decoder, int count, Prepare prepare) {
  Decoder there = decoder;
  nn::to(there, cpu());
  const auto eager = compile(there, {.backend = Backend::eager});
  std::mt19937 random(1234);
  std::set<int> lengths;
  for (int step = 0; step < count; ++step) {
    const int length = longest(random);
    lengths.insert(length);
    const Tensor input = prepare(batch_of(length, random));
    const Tensor found = f(input);
    if (step % by_device(100, 2) != 0 || length >= 100) continue;
    CHECK(near_tensor(found, on_host(eager, input), 1e-4));
  }
  return lengths;
}

Tensor as_it_is(Tensor x) { return x; }

}  // namespace

TEST_CASE("promise 2.13: a varying length is recorded twice, and then never again") {
  random::manual_seed(1);
  Decoder decoder;
  const auto f = compile(decoder);
  const std::set<int> lengths = run(f, decoder, steps, as_it_is);
  CHECK(lengths.size() > by_device(20u, 2u));
  CHECK(f.stats().variants == 2);
  CHECK(f.stats().recordings == 2);
  CHECK(f.stats().eager_calls == 0);
}

TEST_CASE("promise 2.13: a length that is marked is recorded once") {
  random::manual_seed(1);
  Decoder decoder;
  const auto f = compile(decoder);
  run(f, decoder, fewer_steps, [](Tensor x) {
    mark_dynamic(x, 1, {.min = 1, .max = 255});
    return x;
  });
  CHECK(f.stats().variants == 1);
  CHECK(f.stats().recompiles == 0);
}

TEST_CASE("promise 2.13: each bucket of lengths that occurs is recorded once") {
  random::manual_seed(1);
  Decoder decoder;
  const auto f = compile(decoder);
  const std::set<int> lengths =
      run(f, decoder, fewer_steps, [](Tensor x) { return bucket(std::move(x), 1, bucket_sizes); });
  std::set<int> buckets;
  for (const int length : lengths) buckets.insert((length + 31) / 32);
  CHECK(buckets.size() > by_device(2u, 1u));
  CHECK(f.stats().variants == static_cast<std::int64_t>(buckets.size()));
  CHECK(f.stats().eager_calls == 0);
}

TEST_CASE(
    "promise 2.13: with Dynamic::off the recompile limit is reached and logged once, and later "
    "calls are eager" *
    doctest::test_suite("host: it takes many calls")) {
  random::manual_seed(1);
  Decoder decoder;
  const auto f = compile(decoder, {.dynamic = Dynamic::off});
  const std::string warning = said([&] { run(f, decoder, 40, as_it_is); });
  CHECK(f.stats().variants == 8);
  CHECK(f.stats().eager_calls > 0);
  CHECK(count(warning, "recompile_limit = 8 is reached") == 1);
  CHECK(count(warning, "argument 0: expected size(1) == ") == 8);
  CHECK(count(warning, "Dynamic::automatic makes one serve all sizes") == 8);
}
