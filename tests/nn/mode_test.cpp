// test: moved
#include "trace/testing.hpp"

#include <sinter/nn/function/dropout.hpp>
#include <sinter/nn/linear.hpp>
#include <sinter/nn/mode.hpp>

#include <optional>

using namespace testing;

namespace {

struct Block {
  nn::Linear linear{2, 2};
  nn::Dropout drop;
  bool training = true;
  bool frozen = true;
  SINTER_MODULE(Block, linear, drop, training, frozen)
};

struct Net {
  std::vector<Block> blocks = std::vector<Block>(2);
  std::optional<nn::Dropout> last = nn::Dropout();
  SINTER_MODULE(Net, blocks, last)
};

}  // namespace

TEST_CASE("train, eval: reach every module that has a member `training`, and nothing else") {
  Net net;

  nn::eval(net);
  for (const Block& block : net.blocks) {
    CHECK_FALSE(block.training);
    CHECK_FALSE(block.drop.training);
    CHECK(block.frozen);
  }
  CHECK_FALSE(net.last->training);

  nn::train(net);
  CHECK(net.blocks[1].drop.training);
  CHECK(net.last->training);
  nn::train(net.blocks[0], false);
  CHECK_FALSE(net.blocks[0].drop.training);
}
