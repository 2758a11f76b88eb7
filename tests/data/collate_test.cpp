#include "../trace/testing.hpp"

#include <sinter/data/collate.hpp>

using namespace testing;

namespace {

struct Part {
  Tensor mask;
  SINTER_MODULE(Part, mask)
};
struct Example {
  Tensor image, tokens;
  Part part{};
  SINTER_MODULE(Example, image, tokens, part)
};

template <class T>
data::Batch<T> batch(const std::vector<T>& examples, data::CollateOptions options = {}) {
  std::vector<std::size_t> indices(examples.size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = 10 * (i + 1);
  return data::collate(examples, {indices.data(), indices.size()}, options);
}

}  // namespace

TEST_CASE("collate: tensors are stacked, numbers become tensors") {
  const Tensor stacked =
      batch<Tensor>({tensor({1, 2, 3, 4}, {2, 2}), tensor({5, 6, 7, 8}, {2, 2})});
  CHECK(to_string(stacked) == "f32[2, 2, 2]");
  CHECK(numbers(stacked) == Numbers{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(to_string(batch<int>({3, 4, 5})) == "i64[3]");
  CHECK(to_string(batch<float>({3, 4})) == "f32[2]");
  CHECK(to_string(batch<double>({3, 4})) == "f64[2]");
  CHECK(to_string(batch<bool>({true, false})) == "bool[2]");
  CHECK(to_string(batch<Tensor>({ones({}, u8)})) == "u8[1]");
  CHECK(to_string(batch<Tensor>({ones({0, 2})})) == "f32[1, 0, 2]");
}

TEST_CASE("collate: structs, pairs, tuples and arrays of them") {
  const auto example = [](float x) {
    return Example{full({2, 2}, x), integers({1, 2}), {full({3}, x)}};
  };
  const Example structs = batch<Example>({example(1), example(2), example(3)});
  CHECK(to_string(structs.image) == "f32[3, 2, 2]");
  CHECK(to_string(structs.tokens) == "i64[3, 2]");
  CHECK(numbers(structs.part.mask) == Numbers{1, 1, 1, 2, 2, 2, 3, 3, 3});

  const auto [image, label] = batch<std::pair<Tensor, int>>({{ones({2}), 7}, {zeros({2}), 8}});
  CHECK(numbers(image) == Numbers{1, 1, 0, 0});
  CHECK(numbers(label) == Numbers{7, 8});
  using Triple = std::tuple<Example, std::string, std::array<float, 2>>;
  const auto [all_of_it, texts, pair] =
      batch<Triple>({{example(1), "one", {1, 2}}, {example(2), "two", {3, 4}}});
  CHECK(to_string(all_of_it.image) == "f32[2, 2, 2]");
  CHECK(texts == std::vector<std::string>{"one", "two"});
  CHECK(numbers(pair[1]) == Numbers{2, 4});
}

TEST_CASE("collate: values that are not computed yet, and parts of others") {
  const Tensor rows = counting({4, 3});
  CHECK(numbers(batch<Tensor>({rows[2] * 2, rows[0]})) == Numbers{12, 14, 16, 0, 1, 2});
}

TEST_CASE("collate: pads axes that differ, and integer vectors, to a multiple") {
  const data::CollateOptions by_four{.pad_to_multiple = 4};
  CHECK(to_string(batch<Tensor>({integers({1, 2, 3})}, by_four)) == "i64[1, 4]");
  const Tensor tokens = batch<Tensor>({integers({1, 2, 3, 4, 5}), integers({6})},
                                      {.pad_to_multiple = 4, .pad_value = -1});
  CHECK(numbers(tokens) == Numbers{1, 2, 3, 4, 5, -1, -1, -1, 6, -1, -1, -1, -1, -1, -1, -1});
  const Tensor equal = batch<Tensor>({ones({3}), ones({3})}, by_four);
  CHECK(to_string(equal) == "f32[2, 3]");
  const Tensor images = batch<Tensor>({tensor({1, 2}, {1, 2, 1}), tensor({3, 4, 5}, {1, 1, 3})},
                                      {.pad_to_multiple = 1});
  CHECK(to_string(images) == "f32[2, 1, 2, 3]");
  CHECK(numbers(images) == Numbers{1, 0, 0, 2, 0, 0, 3, 4, 5, 0, 0, 0});
  CHECK(numbers(batch<Tensor>({ones({1}, f16), ones({2}, f16)},
                              {.pad_to_multiple = 1, .pad_value = 0.5})) == Numbers{1, 0.5, 1, 1});
}

TEST_CASE("collate: examples that do not fit together are named") {
  const auto shapes = [](Where where) { batch<Tensor>({ones({2}), ones({3})}, {.where = where}); };
  MISTAKE(ShapeError, shapes(Where::current()), "the example", "index 10", "f32[2]", "index 20",
          "f32[3]", "pad_to_multiple");
  const auto ranks = [](Where where) {
    batch<Tensor>({ones({2}), ones({2, 1})}, {.pad_to_multiple = 1, .where = where});
  };
  MISTAKE(ShapeError, ranks(Where::current()), "f32[2, 1]", "the same axes");
  const auto dtypes = [](Where where) {
    using Pair = std::pair<int, Tensor>;
    batch<Pair>({{1, ones({2})}, {2, ones({2}, u8)}}, {.where = where});
  };
  MISTAKE(DTypeError, dtypes(Where::current()), "tensor 1", "u8[2]");
  const auto counts = [](Where where) {
    using List = std::tuple<Example>;
    Example lacking{ones({2}), ones({1}), {ones({3})}}, other = lacking;
    other.part.mask = ones({2});
    batch<List>({{lacking}, {other}}, {.where = where});
  };
  MISTAKE(ShapeError, counts(Where::current()), "part.mask", "f32[3]");
}
