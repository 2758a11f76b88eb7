// Checkpoints that all ranks write: tensors are whole, and other numbers of ranks load them.

#include <doctest/doctest.h>

#include <filesystem>
#include <optional>

#include "../../message_of.hpp"
#include "../world.hpp"

using namespace sinter;
using namespace ranks;

namespace {

namespace fs = std::filesystem;

struct Net {
  nn::Linear in{6, 23}, out{23, 3};
  SINTER_MODULE(Net, in, out)
  Tensor forward(const Tensor& x) const { return out(gelu(in(x))); }
};

struct Training {
  Net net{};
  optim::AdamW optimizer{.learning_rate = 1e-2f};
  SINTER_MODULE(Training, net, optimizer)
};

// A step that all ranks of a group make with the same batch, so that it is the same in every group.
Tensor step(Training& training, const dist::Group& group) {
  const Tensor x = elements({8, 6}, 0), target = argmax(x, -1) % 3;
  Net& net = training.net;
  auto [loss, gradients] = value_and_grad(net, [&] { return cross_entropy(net(x), target); });
  dist::all_reduce(gradients, dist::Reduce::mean, group);
  training.optimizer.step(net, gradients);
  return loss;
}

// A folder of all ranks.
struct Folder {
  std::string path = (fs::path(SINTER_TEST_DIR) / ("ranks" + std::to_string(size()))).string();
  Folder() {
    if (rank() == 0) fs::remove_all(path);
    dist::barrier();
  }
  ~Folder() {
    dist::barrier();
    if (rank() == 0) fs::remove_all(path);
  }
};

Training made(std::optional<dist::Shard> what, const dist::Group& group = {}) {
  random::manual_seed(3);
  Training result;
  if (what) dist::shard(result.net, result.optimizer, *what, group);
  return result;
}

}  // namespace

TEST_CASE("checkpoint: training goes on bit for bit, sharded in every way") {
  world();
  const std::optional<dist::Shard> ways[]{std::nullopt, dist::Shard::optimizer,
                                          dist::Shard::gradients, dist::Shard::parameters};
  for (const auto& what : ways) {
    const Folder folder;
    Training training = made(what), fresh = made(what);
    for (int i = 0; i < 3; ++i) step(training, {});
    dist::save(folder.path, training);
    const auto tensors = io::load_shards(folder.path);
    CHECK(to_string(tensors.at("optimizer.means.in.weight")) == "f32[23, 6]");
    CHECK(to_string(tensors.at("net.out.bias")) == "f32[3]");
    step(fresh, {});
    for (int i = 0; i < 2; ++i) {  // into what has made steps, and into what has not
      dist::load(folder.path, fresh);
      Training goes_on = training;
      for (int j = 0; j < 3; ++j) CHECK(difference(step(fresh, {}), step(goes_on, {})) == 0);
      fresh = made(what);
    }
  }
}

TEST_CASE("checkpoint: other numbers of ranks, and other ways to shard, load it") {
  world();
  const Folder folder;
  Training training = made(dist::Shard::parameters);
  for (int i = 0; i < 3; ++i) step(training, {});
  dist::save(folder.path, training);
  dist::save(folder.path, training);                             // replaces it
  const dist::Group fewer = world().split(rank() == 0 ? 0 : 1);  // one rank, and all but one
  for (const auto what : {dist::Shard::optimizer, dist::Shard::parameters}) {
    Training other = made(what, fewer);
    dist::load(folder.path, other, {}, fewer);
    Training goes_on = training;
    for (int i = 0; i < 3; ++i) {
      CHECK(difference(step(other, fewer), step(goes_on, {})) < 1e-6);
    }
  }
  Training whole;
  io::load_sharded(folder.path, whole);  // without a World
  CHECK(difference(whole.net.in.weight, dist::gathered(training.net).in.weight) == 0);
}

TEST_CASE("checkpoint: what goes wrong on one rank is an error on all, and changes nothing") {
  world();
  using errors::message_of;
  const Folder folder;
  Training training = made(dist::Shard::optimizer);
  step(training, {});
  dist::save(folder.path, training);
  const auto contents = [&] { return io::load_shards(folder.path).at("net.in.bias"); };
  const Tensor before = contents();
  step(training, {});
  const bool is_last = rank() == size() - 1;
  // The last rank writes where there is a file instead of a folder.
  const std::string elsewhere = folder.path + (is_last ? "/model.safetensors.index.json" : "");
  const auto saves = message_of<IoError>([&] { dist::save(elsewhere, training); });
  CHECK(saves.find(is_last ? "cannot be" : "another rank") != std::string::npos);
  CHECK(difference(contents(), before) == 0);

  Training fresh = made(dist::Shard::optimizer);
  const Tensor weight = fresh.net.in.weight;
  const auto loads = message_of<IoError>([&] { dist::load(elsewhere + "x", fresh); });
  CHECK(loads.find("cannot be opened") != std::string::npos);
  const std::string missing = is_last ? folder.path + "x" : folder.path;
  const auto half = message_of<IoError>([&] { dist::load(missing, fresh); });
  CHECK(half.find(is_last ? "cannot be opened" : "another rank") != std::string::npos);
  CHECK(fresh.net.in.weight.lazy() == weight.lazy());
  CHECK(fresh.optimizer.means.empty());

  if (size() == 1) return;
  training.net.in.weight = training.net.in.weight + number();
  const auto differs = message_of<ValueError>([&] { dist::save(folder.path, training); });
  CHECK(differs.find("different values") != std::string::npos);
  CHECK(differs.find("net.in.weight") != std::string::npos);
  CHECK(difference(contents(), before) == 0);
}
