// Checkpoints in several files.

#include <sinter/sinter.hpp>

#include <sinter/io/shards.hpp>

#include <filesystem>
#include <fstream>
#include <set>

#include "io/support.hpp"
#include "message_of.hpp"

using namespace testing;
using errors::message_of;

namespace {

namespace fs = std::filesystem;

struct Shards {
  fs::path folder = fs::path(SINTER_TEST_DIR) / "shards";
  std::string index = (folder / "model.safetensors.index.json").string();

  Shards() {
    fs::create_directories(folder);
    io::save_tensors((folder / "one").string(), {{"a", ones({2})}});
    io::save_tensors((folder / "two").string(), {{"b", zeros({3})}});
  }
  ~Shards() { fs::remove_all(folder); }

  void write(const std::string& text) const { std::ofstream(index) << text; }
  std::string error() const {
    return message_of<IoError>([&] { io::load_shards(folder.string()); });
  }
};

struct Net {
  nn::Linear in{5, 16}, out{16, 3};
  nn::Buffer mean = zeros({16});
  SINTER_MODULE(Net, in, out, mean)

  Tensor forward(const Tensor& x) const { return out(relu(in(x))); }
};

struct Training {
  Net net{};
  optim::AdamW optimizer{.learning_rate = 0.01f};
  SINTER_MODULE(Training, net, optimizer)
};

Tensor step(Training& training, const Tensor& x) {
  Net& net = training.net;
  auto [loss, gradients] = value_and_grad(net, [&] { return mse_loss(net(x), zeros({8, 3})); });
  training.optimizer.step(net, gradients);
  return loss;
}

void save(const std::string& folder, const Training& training, int ranks) {
  for (int rank = 0; rank < ranks; ++rank) io::save_sharded(folder, training, {rank, ranks});
  io::commit_sharded(folder, ranks);
}

bool same_state(const Training& a, const Training& b) {
  const auto x = io::detail::state_of(a), y = io::detail::state_of(b);
  bool result = x.slots.size() == y.slots.size();
  for (std::size_t i = 0; result && i < x.slots.size(); ++i) {
    result = same_bits(*x.slots[i].tensor, *y.slots[i].tensor);
  }
  return result;
}

// What the folder has can be loaded, and is the state of `expected`.
void has(const std::string& folder, const Training& expected) {
  Training fresh;
  io::load_sharded(folder, fresh);
  CHECK(same_state(fresh, expected));
}

// Shards of a training after two steps, of four ranks, and the training.
struct Saved {
  Folder folder{};
  Tensor x = randn({8, 5});
  Training training{};

  Saved() {
    step(training, x), step(training, x);
    save(path(), training, 4);
  }
  std::string path() const { return folder / "a"; }
  std::string file(const std::string& name) const { return folder / ("a/" + name); }
  std::set<std::string> files() const {
    std::set<std::string> result;
    for (const auto& entry : fs::directory_iterator(path())) {
      result.insert(entry.path().filename().string());
    }
    return result;
  }
};

const std::string index_name = "model.safetensors.index.json";

std::set<std::string> names_of(const std::string& save, int ranks) {
  std::set<std::string> result{index_name};
  for (int rank = 1; rank <= ranks; ++rank) {
    result.insert("model-" + save + "0000" + text(rank) + "-of-0000" + text(ranks) +
                  ".safetensors");
  }
  return result;
}

}  // namespace

TEST_CASE("load_shards: a file, an index, a folder") {
  const Shards shards;
  CHECK(io::load_shards((shards.folder / "one").string()).count("a") == 1);
  shards.write(R"({"weight_map": {"a": "one", "b": "two"}, "metadata": {"x": [1, {"y": "\"]"}]}})");
  CHECK(io::load_shards(shards.index).size() == 2);
  const auto tensors = io::load_shards(shards.folder.string());
  CHECK(tensors.at("b").size(0) == 3);
  io::save_tensors((shards.folder / "model.safetensors").string(), {{"c", ones({1})}});
  CHECK(io::load_shards(shards.folder.string()).count("c") == 1);
}

TEST_CASE("load_shards: errors name what is wrong") {
  const Shards shards;
  CHECK(contains(shards.error(), "model.safetensors.index.json and its shards"));
  shards.write(R"({"weight_map": {"a": "one", "c": "two"}})");
  CHECK(contains(shards.error(), "lacks a tensor"));
  shards.write(R"({"weight_map": {"a": "three"}})");
  CHECK(contains(shards.error(), "three"));
  shards.write(R"({"weight_map": {"a": "../one"}})");
  CHECK(contains(shards.error(), "outside of its folder"));
  shards.write(R"({"metadata": {, "weight_map": {}})");
  CHECK(contains(shards.error(), "the index"));
  io::save_tensors((shards.folder / "two").string(), {{"a", ones({2})}});
  shards.write(R"({"weight_map": {"a": "one", "b": "two"}})");
  CHECK(contains(shards.error(), "same name"));
}

TEST_CASE("save_sharded: four ranks write, one reads, and training goes on bit for bit") {
  Saved saved;
  CHECK(saved.files() == names_of("", 4));
  Training fresh;
  io::load_sharded(saved.path(), fresh);
  CHECK(same_state(fresh, saved.training));
  for (int i = 0; i < 5; ++i) {
    CHECK(same_bits(step(fresh, saved.x), step(saved.training, saved.x)));
  }
  CHECK(same_state(fresh, saved.training));
}

TEST_CASE("save_sharded: each tensor is in one shard, and the shards have about the same bytes") {
  const Saved saved;
  std::size_t tensors = 0;
  for (const std::string& name : names_of("", 4)) {
    if (name == index_name) continue;
    const auto shard = io::load_tensors(saved.file(name));
    tensors += shard.size();
    std::uint64_t bytes = 0;
    for (const auto& [key, tensor] : shard) bytes += io::bytes_of(tensor.type());
    CHECK(bytes >= 256);  // of about 1,800, in tensors of up to 320
    CHECK(bytes <= 640);
    CHECK(io::load_metadata(saved.file(name)).at("format") == "pt");
  }
  CHECK(tensors == io::load_shards(saved.path()).size());
  const std::string index = read_bytes(saved.file(index_name));
  CHECK(contains(index, "\"total_size\": "));
  CHECK(contains(index, "\"net.in.weight\": \"model-0000"));
}

TEST_CASE("save_sharded: any number of ranks replaces the checkpoint of any other") {
  Saved saved;
  int save_number = 1;
  for (const int ranks : {1, 3, 8}) {
    step(saved.training, saved.x);
    const auto old = saved.files();
    save(saved.path(), saved.training, ranks);
    has(saved.path(), saved.training);
    for (const std::string& name : old) {  // as if the process had died before it removed them
      if (name != index_name) write_bytes(saved.file(name), "old");
    }
    step(saved.training, saved.x);
    save(saved.path(), saved.training, ranks);
    has(saved.path(), saved.training);
    ++save_number;
    const auto expected = names_of(text(++save_number, "-"), ranks);
    CHECK(saved.files() == expected);
  }
}

TEST_CASE("save_sharded: an interrupted save leaves the old checkpoint whole") {
  Saved saved;
  const Training old = saved.training;
  for (int written = 1; written <= 4; ++written) {
    step(saved.training, saved.x);
    for (int rank = 0; rank < written; ++rank) {
      io::save_sharded(saved.path(), saved.training, {rank, 4});
      has(saved.path(), old);
    }
  }
  write_bytes(saved.file("model-2-00001-of-00004.safetensors.partial-7-0"), "half");
  write_bytes(saved.file(index_name + ".partial-7-0"), "half");
  write_bytes(saved.file("model-of-mine.safetensors"), "kept");
  save(saved.path(), saved.training, 3);
  has(saved.path(), saved.training);
  auto expected = names_of("2-", 3);
  expected.insert("model-of-mine.safetensors");
  CHECK(saved.files() == expected);
}

TEST_CASE("save_sharded: a rank that did not write is named, and nothing is committed") {
  Saved saved;
  const Training old = saved.training;
  step(saved.training, saved.x);
  for (const int rank : {0, 1, 3}) io::save_sharded(saved.path(), saved.training, {rank, 4});
  refuses("model-2-00003-of-00004", [&] { io::commit_sharded(saved.path(), 4); });
  has(saved.path(), old);
  io::save_sharded(saved.path(), nn::Linear(2, 2), {2, 4});
  refuses("different modules", [&] { io::commit_sharded(saved.path(), 4); });
  has(saved.path(), old);
  io::save_sharded(saved.path(), saved.training, {2, 4});
  const std::string path = saved.file("model-2-00002-of-00004.safetensors");
  write_bytes(path, read_bytes(path).substr(0, 500));
  refuses("model-2-00002-of-00004", [&] { io::commit_sharded(saved.path(), 4); });
  has(saved.path(), old);
}

TEST_CASE("load_sharded: missing, damaged and half-written checkpoints are named") {
  const Saved saved;
  Training fresh;
  const auto load = [&] { io::load_sharded(saved.path(), fresh); };
  const Training before = fresh;
  const std::string path = saved.file("model-00002-of-00004.safetensors");
  const std::string bytes = read_bytes(path);
  write_bytes(path, bytes.substr(0, bytes.size() - 8));
  refuses("model-00002-of-00004", load);
  write_bytes(path, "no tensors");
  refuses("model-00002-of-00004", load);
  fs::remove(path);
  refuses("a shard is missing", load);
  write_bytes(path, bytes);
  fs::remove(saved.file(index_name));
  refuses("shards without their index", load);
  refuses("no safetensors checkpoint", [&] { io::load_sharded(saved.folder / "", fresh); });
  refuses("nowhere", [&] { io::load_sharded(saved.folder / "nowhere", fresh); });
  CHECK(same_state(fresh, before));
}

TEST_CASE("save_sharded: what cannot be saved is refused") {
  const Saved saved;
  CHECK(contains(message_of<ValueError>([&] {
                   io::save_sharded("a", saved.training, {4, 4});
                 }),
                 "0 <= rank < ranks"));
  CHECK(contains(message_of<ValueError>([&] { io::commit_sharded("a", 0); }), "no such rank"));
  write_bytes(saved.file("model.safetensors"), "");
  refuses("checkpoint in one file", [&] {
    io::save_sharded(saved.path(), saved.training, {0, 4});
  });
  const std::string in_file = saved.file("model.safetensors") + "/b";
  refuses("the folder cannot be made", [&] { io::save_sharded(in_file, saved.training, {0, 4}); });
}

TEST_CASE("load_sharded: a rank reads its part of what is divided") {
  const Saved saved;
  constexpr int ranks = 7;
  const std::map<std::string, io::detail::StatePart> shapes{{"in.weight", {{16, 5}, 0, ranks}}};
  const std::vector<float> weight = saved.training.net.in.weight.to_vector<float>();
  const auto& means = saved.training.optimizer.means;
  std::vector<float> found, moments;
  for (int rank = 0; rank < ranks; ++rank) {
    Training fresh;
    fresh.net.in.weight = zeros({12});
    auto state = io::detail::state_of(fresh);
    std::map<std::string, io::detail::StatePart> parts = shapes;
    parts.at("in.weight").rank = rank;
    for (auto& slot : state.slots) {
      if (slot.name == "net.in.weight") slot.part = parts.at("in.weight");
    }
    for (auto& container : state.containers) container.parts = &parts;
    io::detail::load_sharded_state({"test", saved.path(), Where::current()}, state, {});
    for (const float x : fresh.net.in.weight.to_vector<float>()) found.push_back(x);
    for (const float x : fresh.optimizer.means.at("in.weight").to_vector<float>()) {
      moments.push_back(x);
    }
    CHECK(same_bits(fresh.net.out.weight, saved.training.net.out.weight));
  }
  std::vector<float> expected = weight, mean = means.at("in.weight").to_vector<float>();
  expected.resize(ranks * 12, 0.0f), mean.resize(ranks * 12, 0.0f);
  CHECK(found == expected);
  CHECK(moments == mean);
}
