// Heads, masks and checks of the transformers.

#include <sinter/models/attention.hpp>

#include "message_of.hpp"
#include "models/reference.hpp"

using namespace reference_models;
using namespace sinter::models::detail;
using errors::message_of;

TEST_CASE("split_heads, merge_heads: inverse to each other") {
  const Tensor x = reshape(arange(24), {2, 3, 4}).to(f32);
  const Tensor heads = split_heads(x, 2);
  CHECK(to_string(heads.shape()) == to_string(Shape{2, 2, 3, 2}));
  CHECK(heads[{1, 1, 2, 0}].item<float>() == x[{1, 2, 2}].item<float>());
  CHECK(distance(merge_heads(heads), x) == 0);
}

TEST_CASE("attend: rows without a key give 0, and gradients that are finite") {
  const Tensor x = randn({1, 1, 3, 2});
  const Tensor mask = key_mask(from_vector<std::int64_t>({0, 0, 1}, {1, 3}));
  CHECK(mask.dtype() == boolean);
  CHECK_FALSE(key_mask(Tensor()).defined());
  const auto causal = [&](const Tensor& q) {
    return attend(q, x, x, {.mask = mask, .causal = true});
  };
  CHECK(distance(causal(x)[{0, Slice{0, 2}}], zeros({2, 2})) == 0);
  CHECK(distance(causal(x)[{0, 2}], x[{0, 0, 2}]) < 1e-6);
  const Tensor slope = grad([&](const Tensor& q) { return sum(causal(q)); })(x);
  CHECK(static_cast<bool>(all(isfinite(slope))));
}

TEST_CASE("initialize: the row of the padding is 0") {
  nn::Embedding table(20, 30, {.padding_idx = 2});
  initialize(table, 0.5, Where::current());
  CHECK(distance(table.weight[2], zeros({30})) == 0);
  CHECK(std::fabs(sinter::std(table.weight[{Slice{3, {}}}]).item<float>() - 0.5) < 0.1);
}

TEST_CASE("checks of options and arguments") {
  const Where here = Where::current();
  CHECK(message_of<ValueError>([&] {
          require_positive("M", {{"n", 1}, {"k", 0}}, here);
        }).find("0") != std::string::npos);
  CHECK(message_of<ValueError>([&] {
          require_divides("M", {"n", 6}, {"k", 4}, here);
        }).find("n % k == 0") != std::string::npos);
  require_divides("M", {"n", 6}, {"k", 3}, here);
  require_tokens("M", zeros({2, 3}, i64), Tensor(), {"longest", 3});
  CHECK(message_of<ShapeError>([&] {
          require_tokens("M", zeros({2, 4}, i64), Tensor(), {"longest", 3});
        }).find("longest") != std::string::npos);
  require_images("M", zeros({2, 3, 4, 5}), 3, 0);
  CHECK(message_of<ShapeError>([&] {
          require_images("M", zeros({2, 3, 4, 5}), 3, 4);
        }).find("4, 4") != std::string::npos);
}
