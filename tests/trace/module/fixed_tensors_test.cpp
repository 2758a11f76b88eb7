#include "testing.hpp"

#include <sinter/nn/norm.hpp>
#include <sinter/trace/module/fixed_tensors.hpp>

#include <array>
#include <optional>

using namespace testing;

namespace {

struct Mixed {
  int heads = 2;
  std::vector<Tensor> list{ones({1})};
  std::array<Tensor, 2> pair{};
  std::optional<Tensor> maybe{ones({1})};
  nn::Buffer mean{};
  Scalar step = 0;
  SINTER_MODULE(Mixed, heads, list, pair, maybe, mean, step)
};

}  // namespace

TEST_CASE("add_fixed_tensors: finds what ends with the value only, not what containers hold") {
  const Mixed mixed;
  Vector<const void*> found;
  detail::add_fixed_tensors(mixed, found);
  CHECK(found == Vector<const void*>{&mixed.pair[0], &mixed.pair[1], &mixed.mean.value,
                                     &mixed.step.tensor()});
}
