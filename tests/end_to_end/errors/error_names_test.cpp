// Errors name the function that the user called, and the user's line, whatever it is written in.

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "jit/support.hpp"

using namespace testing;

namespace {

struct Words {
  nn::Embedding embed{4, 3};
  nn::Linear out{3, 2};
  SINTER_MODULE(Words, embed, out)
  Tensor forward(const Tensor& x) const { return out(embed(x)); }
};
struct Model {
  Words words;
  SINTER_MODULE(Model, words)
  Tensor forward(const Tensor& x) const { return words(x); }
};

struct Failure {
  std::string op{}, text{};
  std::string file{};
};

template <class F>
Failure failure_of(F function) {
  try {
    function();
  } catch (const UserError& error) {
    const std::string text = error.what();
    const std::string file = error.where().line() == 0 ? "" : error.where().file_name();
    return {text.substr(0, text.find(": ")), text, file.substr(file.rfind('/') + 1)};
  }
  return {};
}

template <class F>
void check_named(const std::string& op, F function) {
  const Failure found = failure_of(function);
  INFO(found.text);
  CHECK(found.op == op);
  CHECK(found.file == "error_names_test.cpp");
}

// An index out of range, in eager and in compiled code.
template <class F>
void check_index(const std::string& op, F function) {
  const Tensor bad = from_vector(std::vector<std::int64_t>{1, 9}, {2});
  check_named(op, [&] { elements_of(function(bad)); });
  check_named(op, [&] { elements_of(compile(function)(bad)); });
}

Tensor big_axis(std::int64_t extent) { return expand(ones({1}), {extent}); }

}  // namespace

TEST_CASE("error names: an index out of range names the function that takes the indices") {
  check_index("index_select", [](const Tensor& i) { return index_select(ones({4, 3}), 0, i); });
  check_index("take", [](const Tensor& i) { return take(ones({4}), i); });
  check_index("operator[]", [](const Tensor& i) { return ones({4, 3})[i]; });
  check_index("gather", [](const Tensor& i) { return gather(ones({4}), 0, i); });
  check_index("take_along_axis", [](const Tensor& i) { return take_along_axis(ones({4}), i, 0); });
  check_index("cross_entropy", [](const Tensor& i) { return cross_entropy(ones({2, 3}), i); });
  check_index("nll_loss", [](const Tensor& i) { return nll_loss(ones({2, 3}), i); });
  check_index("index_add", [](const Tensor& i) { return index_add(ones({4}), 0, i, ones({2})); });
  check_index("scatter_add",
              [](const Tensor& i) { return scatter_add(ones({4}), 0, i, ones({2})); });
  check_index("nn::Embedding", [](const Tensor& i) { return nn::Embedding(4, 3)(i); });
}

TEST_CASE("error names: an index out of range in an Embedding names the layer") {
  Model model;
  const auto compiled = compile(model);
  const Tensor bad = from_vector(std::vector<std::int64_t>{1, 9}, {2});

  const Failure found = failure_of([&] { elements_of(compiled(bad)); });

  CHECK(found.text.find("nn::Embedding: index out of range") == 0);
  CHECK(found.text.find("\n  in    words.embed") != std::string::npos);
}

TEST_CASE("error names: division by zero names the function") {
  const Tensor zero = zeros({3}, i64);
  check_named("floor_divide", [&] { elements_of(floor_divide(arange(3), zero)); });
  check_named("fmod", [&] { elements_of(fmod(arange(3), zero)); });
  const auto compiled = compile([](const Tensor& y) { return fmod(arange(3), y); });
  check_named("fmod", [&] { elements_of(compiled(zero)); });
}

TEST_CASE("error names: results that are too large name the function and its line") {
  const std::int64_t big = std::int64_t{1} << 61;
  const Tensor wide = expand(ones({1, 1}), {1, big}), tall = expand(ones({1, 1}), {big, 1});
  check_named("matmul", [&] { matmul(tall, wide); });
  check_named("linear", [&] { linear(tall, tall); });
  check_named("where", [&] { where(ones({1, 1}).to(boolean), tall, wide); });
  check_named("outer", [&] { outer(big_axis(big), big_axis(big)); });
  check_named("concatenate", [&] {
    concatenate({big_axis(big), big_axis(big), big_axis(big)}, 0);
  });
  check_named("pad", [&] { pad(big_axis(big), {{big, big}}); });
  check_named("repeat", [&] { repeat(big_axis(big), {4}); });
}

TEST_CASE("error names: too many dimensions name the function and its line") {
  const Tensor full_rank = reshape(ones({1}), Shape(std::vector<std::int64_t>(max_rank, 1)));
  check_named("unsqueeze", [&] { unsqueeze(full_rank, 0); });
  check_named("stack", [&] { stack({full_rank, full_rank}); });
  check_named("tensordot", [&] { tensordot(full_rank, full_rank, 1); });
  check_named("one_hot", [&] { one_hot(full_rank.to(i64), 3); });
  check_named("repeat_interleave", [&] { repeat_interleave(full_rank, 2, 99); });
  check_named("shape", [] { ones({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}); });
}

TEST_CASE("error names: composites are named for errors of the primitives in them") {
  check_named("cosine_similarity", [] { cosine_similarity(ones({3}), ones({4}), 0); });
  check_named("hstack", [] { hstack({ones({2, 3}), ones({3, 3})}); });
  check_named("logsumexp", [] { logsumexp(ones({3}), 4); });
  check_named("vmap", [] { vmap([](const Tensor& x) { return x; })(ones({})); });
}

TEST_CASE("error names: errors in a callback do not name the function that calls it") {
  const auto score = [](const Tensor& s, const Tensor&, const Tensor&, const Tensor&,
                        const Tensor&) {
    return matmul(s, ones({7, 7}));
  };
  const Tensor q = ones({1, 1, 4, 8});

  check_named("matmul", [&] { scaled_dot_product_attention(q, q, q, {.score = score}); });
}

TEST_CASE(
    "error names: a read inside of a function evaluates operations that other functions recorded") {
  const Tensor bad = from_vector(std::vector<std::int64_t>{1, 9}, {2});
  const Tensor counts = index_select(arange(4), 0, bad);  // fails when it is read

  check_named("index_select", [&] { masked_select(ones({2}), counts > 0); });
}
