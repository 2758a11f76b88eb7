// The hook that batch norms of several ranks go through.
#include "trace/testing.hpp"

#include <sinter/nn/sync_hook.hpp>

using namespace testing;

namespace {

Tensor marked(const Operand& x, const nn::detail::ChannelNorm& norm,
              const nn::detail::RunningStatistics& running, const Operand& momentum, int group) {
  CHECK(running.mean.is_given() == norm.running_mean.has_value());
  CHECK(momentum.tensor().item<float>() == 0.1f);
  return add(x, {100 + group, x.where});
}

}  // namespace

TEST_CASE("sync hook: it computes batch norms with a group, in training") {
  const auto before = nn::detail::sync_batch_norm;
  nn::detail::sync_batch_norm = marked;
  nn::BatchNorm1d norm{2}, alone{2};
  norm.sync_group = 3;
  const Tensor x = tensor({1, 2, 3, 4}, {2, 2});
  CHECK(near(norm(x), {104, 105, 106, 107}));
  CHECK(near(alone(x), {-1, -1, 1, 1}, 1e-3));
  norm.training = false;
  CHECK(near(norm(x), {1, 2, 3, 4}, 1e-3));
  nn::detail::sync_batch_norm = before;
}
