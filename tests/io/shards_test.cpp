// Checkpoints in several files.

#include <sinter/io/shards.hpp>
#include <sinter/trace/ops/creation/create.hpp>

#include <filesystem>
#include <fstream>

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
