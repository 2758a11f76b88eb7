// Tensors in structs with SINTER_MODULE whose sizes change: caches of keys and values, batches,
// state of layers; given by value, by reference, in containers, owned by the compiled function.

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jit/support.hpp"

using namespace testing;

namespace {

struct KV {
  Tensor k, v;
  SINTER_MODULE(KV, k, v)
};

KV cache_of(int length) { return {randn({length, 4}), randn({length, 4})}; }

Tensor attend(const KV& cache, const Tensor& x) {
  return matmul(softmax(matmul(x, transpose(cache.k, 0, 1)), -1), cache.v);
}

KV grown(const KV& cache, const Tensor& x) {
  return {concatenate({cache.k, x}, 0), concatenate({cache.v, x * 2.0f}, 0)};
}

Tensor grow_and_attend(KV& cache, const Tensor& x) {
  cache = grown(cache, x);
  return attend(cache, x);
}

// A layer that appends its inputs to a cache.
struct Attention {
  nn::Linear query{4, 4};
  KV cache;
  SINTER_MODULE(Attention, query, cache)
  Tensor forward(const Tensor& x) { return grow_and_attend(cache, query(x)); }
};

struct Decoder {
  std::vector<Attention> layers;
  SINTER_MODULE(Decoder, layers)
  Tensor forward(Tensor x) {
    for (Attention& layer : layers) x = layer(x);
    return x;
  }
};

// A layer whose own tensor grows.
struct Memory {
  Tensor seen;
  nn::Linear in{4, 4};
  SINTER_MODULE(Memory, seen, in)
  Tensor forward(const Tensor& x) {
    seen = concatenate({seen, in(x)}, 0);
    return sum(seen, 0);
  }
};

struct Held {
  std::array<KV, 2> array;
  std::vector<KV> list;
  std::map<std::string, KV> table;
  std::optional<KV> last;
  SINTER_MODULE(Held, array, list, table, last)
};

Held held(int length) {
  return {.array = {cache_of(length), cache_of(length + 1)},
          .list = {cache_of(length + 2)},
          .table = {{"a", cache_of(length + 3)}},
          .last = cache_of(length + 4)};
}

Tensor attend_to_all(const Held& all, const Tensor& x) {
  return attend(all.array[0], x) + attend(all.array[1], x) + attend(all.list[0], x) +
         attend(all.table.at("a"), x) + attend(*all.last, x);
}

// Calls `f` for caches that grow from 2 to 13, and compares with `expected`.
template <class F, class Expected, class Make>
void check_growing(const F& f, Expected expected, Make make) {
  for (int length = 2; length < 14; ++length) {
    auto cache = make(length);
    const Tensor x = randn({1, 4});
    const Tensor right = expected(cache, x);
    CHECK(near_tensor(f(std::move(cache), x), right));
  }
  CHECK(f.stats().recordings <= 2);
  CHECK(f.stats().eager_calls == 0);
}

void check_two_recordings(const Stats& stats) {
  CHECK(stats.recordings == 2);
  CHECK(stats.eager_calls == 0);
}

}  // namespace

TEST_CASE("dynamic modules: a cache that grows is recorded twice, wherever it is stored") {
  check_growing(compile(attend), attend, cache_of);
  check_growing(compile(attend_to_all), attend_to_all, held);
  const auto of_list = [](const std::vector<KV>& list, const Tensor& x) {
    return attend(list[0], x) + attend(list[1], x);
  };
  check_growing(compile(of_list), of_list, [](int length) {
    return std::vector<KV>{cache_of(length), cache_of(2 * length)};
  });
}

TEST_CASE("dynamic modules: Dynamic::on makes sizes of data symbols at once, and off never") {
  const auto on = compile(attend, {.dynamic = Dynamic::on});
  const auto off = compile(attend, {.dynamic = Dynamic::off});
  for (int length = 2; length < 6; ++length) {
    const KV cache = cache_of(length);
    const Tensor x = randn({2, 4});
    CHECK(near_tensor(on(cache, x), off(cache, x)));
  }
  CHECK(on.stats().recordings == 1);
  CHECK(off.stats().recordings == 4);
  const auto layer = compile(Attention{.cache = cache_of(2)}, {.dynamic = Dynamic::on});
  for (int i = 0; i < 4; ++i) layer(randn({1, 4}));
  CHECK(layer.stats().recordings == 1);
}

TEST_CASE("dynamic modules: a cache that the function itself grows is recorded twice") {
  const auto f = compile(grow_and_attend);
  KV cache = cache_of(2), expected = cache;
  for (int i = 0; i < 12; ++i) {
    const Tensor x = randn({1, 4});
    CHECK(near_tensor(f(cache, x), grow_and_attend(expected, x)));
    CHECK(near_tensor(cache.v, expected.v));
  }
  CHECK(cache.k.size(0) == 14);
  check_two_recordings(f.stats());
}

TEST_CASE(
    "dynamic modules: growing state of layers, in a module of the caller or of the compiled "
    "function") {
  Decoder decoder{{Attention{.cache = cache_of(2)}, Attention{.cache = cache_of(3)}}};
  Decoder expected = decoder;
  const auto f = compile(decoder);
  const auto owned = compile(Decoder(decoder));
  for (int i = 0; i < 10; ++i) {
    const Tensor x = randn({1, 4}), right = expected(x);
    CHECK(near_tensor(f(x), right));
    CHECK(near_tensor(owned(x), right));
  }
  check_two_recordings(f.stats());
  check_two_recordings(owned.stats());
  for (const std::string& guard : f.explain().guards) {
    if (guard.find("weight is") != std::string::npos) {
      CHECK(guard.find("f32[4, 4]") != std::string::npos);  // unchanged sizes are static
    }
  }
}

TEST_CASE("dynamic modules: a tensor of a layer becomes dynamic when it changes, also under on") {
  for (const Dynamic dynamic : {Dynamic::automatic, Dynamic::on}) {
    Memory memory{.seen = zeros({2, 4})}, expected = memory;
    const auto f = compile(memory, {.dynamic = dynamic});
    for (int i = 0; i < 10; ++i) {
      const Tensor x = randn({1, 4});
      CHECK(near_tensor(f(x), expected(x)));
    }
    check_two_recordings(f.stats());
  }
}

TEST_CASE("dynamic modules: a cache of fixed length is updated in place, however long it is") {
  const auto put = compile([](KV& cache, const Tensor& row) {
    cache.k = set(cache.k, 0, row);
    cache.v = cache.v * 0.5f;
    return sum(cache.k);
  });
  for (const int length : {3, 5, 7}) {
    KV cache{ones({length, 4}), ones({length, 4})};
    put(cache, zeros({4}));
    const float* const place = cache.k.data<float>();
    put(cache, full({4}, 2.0f));
    CHECK(cache.k.data<float>() == place);
    CHECK(near_tensor(sum(cache.k), full({}, static_cast<float>(4 * length + 4))));
  }
  check_two_recordings(put.stats());
}

TEST_CASE("dynamic modules: an unmarked size of data follows a marked one, a layer's does not") {
  const auto masked =
      compile([](const KV& cache, const Tensor& mask) { return sum(cache.k + cache.v + mask); });
  for (const int length : {3, 8, 1}) {
    Tensor mask = ones({length, 4});
    mark_dynamic(mask, 0);
    masked(KV{ones({length, 4}), ones({length, 4})}, mask);
  }
  CHECK(masked.stats().recordings == 1);
  Tensor x = ones({2, 4});
  mark_dynamic(x, 1);
  CHECK_THROWS_AS(compile(nn::Linear(4, 3))(x), ConstraintError);
}

TEST_CASE("dynamic modules: models of further widths share the second recording") {
  const auto f = compile([](const nn::Linear& layer, const Tensor& x) { return layer(x); });
  for (const int width : {3, 5, 7, 9}) {
    const nn::Linear layer(4, width);
    const Tensor x = randn({2, 4});
    CHECK(near_tensor(f(layer, x), layer(x)));
  }
  check_two_recordings(f.stats());
}

TEST_CASE("dynamic modules: the recompile reason names the member, and a fix that applies to it") {
  const auto f = compile([](const KV& cache) { return sum(cache.k); });
  f(cache_of(5));
  f(cache_of(7));
  REQUIRE(f.explain().recompiles.size() == 1);
  CHECK(f.explain().recompiles[0].find(
            "argument 0.k: expected size(0) == 5, found 7; mark_dynamic(x.k, 0) makes one "
            "recording serve all sizes") != std::string::npos);
  std::vector<Memory> layers(2, {.seen = zeros({2, 4})});
  const auto second =
      compile([](std::vector<Memory>& list, const Tensor& x) { return list[1](x); });
  for (int i = 0; i < 2; ++i) second(layers, randn({1, 4}));
  CHECK(second.explain().recompiles[0].find("mark_dynamic(x[1].seen, 0)") != std::string::npos);

  const auto marked = compile(attend);
  for (const int length : {5, 7, 0, 1}) {
    KV cache = cache_of(length);
    mark_dynamic(cache.k, 0);
    marked(cache, ones({1, 4}));
  }
  CHECK(marked.stats().recordings == 1);

  Memory memory{.seen = zeros({2, 4})};
  mark_dynamic(memory.seen, 0);
  const auto layer = compile(memory);
  for (int i = 0; i < 5; ++i) layer(randn({1, 4}));
  CHECK(layer.stats().recordings == 1);
}

TEST_CASE("dynamic modules: mark_static is mentioned as the reason") {
  const auto off = compile(attend, {.dynamic = Dynamic::off});
  off(cache_of(5), ones({1, 4}));
  off(cache_of(7), ones({1, 4}));
  CHECK(off.explain().recompiles[0].find("Dynamic::automatic") != std::string::npos);
  const auto marked = compile([](const KV& cache) { return sum(cache.k); });
  for (const int length : {5, 7}) {
    KV cache = cache_of(length);
    mark_static(cache.k, 0);
    marked(cache);
  }
  CHECK(marked.explain().recompiles[0].find("mark_static") != std::string::npos);
}
