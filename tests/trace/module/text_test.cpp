// test: alone
#include "testing.hpp"

#include <sinter/nn/linear.hpp>
#include <sinter/nn/norm.hpp>
#include <sinter/nn/sequential.hpp>
#include <sinter/trace/module/text.hpp>

#include <array>
#include <map>
#include <optional>

using namespace testing;

namespace {

struct Head {
  nn::Linear up{3, 2}, down{2, 1, {.bias = false}};
  std::optional<nn::Linear> extra{};
  std::array<int, 2> window{3, 1};
  double scale = 0.5;
  bool training = true;
  SINTER_MODULE(Head, up, down, extra, window, scale, training)
};

struct Whole {
  std::vector<Head> heads = std::vector<Head>(1);
  std::vector<Head> none{};
  nn::Buffer mean = zeros({4});
  Tensor later{};
  Scalar step = 0;
  std::string name = "whole";
  SINTER_MODULE(Whole, heads, none, mean, later, step, name)
};

}  // namespace

TEST_CASE("to_string: a module is a tree of its members, with shapes and counts") {
  const char* const expected =
      R"(Whole: 10 parameters
  heads                         10
    0           Head            10
      up        nn::Linear       8
        weight  f32[2, 3]        6
        bias    f32[2]           2
      down      nn::Linear       2
        weight  f32[1, 2]        2
        bias    none
      extra     none
      window    [3, 1]
      scale     0.5
      training  true
  none          empty
  mean          f32[4], buffer
  later         undefined
  step          i64, Scalar
  name          "whole")";
  CHECK(to_string(Whole()) == expected);
}
