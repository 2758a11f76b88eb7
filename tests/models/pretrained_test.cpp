// Weights by name: prefixes, shards, older names, and what does not fit.

#include <sinter/models/pretrained.hpp>
#include <sinter/models/resnet.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "message_of.hpp"
#include "models/small.hpp"

using namespace reference_models;
using errors::message_of;

namespace {

namespace fs = std::filesystem;

/// A folder of this process, removed at the end.
struct Folder {
  fs::path path = fs::path(SINTER_TEST_DIR) / ("models." + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
};

using Tensors = std::map<std::string, Tensor>;

Tensors stored(const std::string& name) { return io::load_tensors(path_of(name + ".safetensors")); }

/// `tensors` with another prefix.
Tensors renamed(const Tensors& tensors, const std::string& from, const std::string& to) {
  Tensors result;
  for (const auto& [name, tensor] : tensors) {
    result.emplace(name.starts_with(from) ? to + name.substr(from.size()) : name, tensor);
  }
  return result;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

template <class Model>
bool has_all(const Model& model, const Tensors& tensors) {
  for (const auto& [name, parameter] : nn::named_parameters(model)) {
    if (distance(parameter, tensors.at(name)) != 0) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("load_pretrained: the prefix of the base model may be there or not") {
  const Folder folder;
  const Tensors gpt2 = stored("gpt2"), bert = stored("bert");
  io::save_tensors(folder / "base", renamed(gpt2, "transformer.", ""));
  auto whole = models::GPT2(small_gpt2());
  models::load_pretrained(whole, folder / "base");
  CHECK(has_all(whole, gpt2));

  Tensors tasks = renamed(bert, "", "bert.");
  tasks.emplace("cls.predictions.bias", zeros({32}));
  io::save_tensors(folder / "tasks", tasks);
  auto base = models::Bert(small_bert());
  const io::LoadResult result = models::load_pretrained(base, folder / "tasks");
  CHECK(has_all(base, bert));
  CHECK(result.unexpected == std::vector<std::string>{"cls.predictions.bias"});
  tasks.emplace("bert.encoder.layer.2.output.dense.bias", zeros({16}));
  io::save_tensors(folder / "tasks", tasks);
  CHECK(contains(message_of<IoError>([&] { models::load_pretrained(base, folder / "tasks"); }),
                 "layer.2"));
}

TEST_CASE("load_pretrained: older names, and buffers that are computed") {
  const Folder folder;
  Tensors old;
  for (const auto& [name, tensor] : stored("bert")) {
    const bool is_norm = name.find("LayerNorm.weight") != std::string::npos;
    old.emplace(is_norm ? name.substr(0, name.size() - 6) + "gamma" : name, tensor);
  }
  old.emplace("embeddings.position_ids", reshape(arange(12), {1, 12}));
  io::save_tensors(folder / "old", old);
  auto bert = models::Bert(small_bert());
  models::load_pretrained(bert, folder / "old");
  CHECK(has_all(bert, stored("bert")));

  Tensors gpt2 = stored("gpt2");
  gpt2.emplace("transformer.h.0.attn.bias", ones({1, 1, 12, 12}));
  gpt2.emplace("transformer.h.1.attn.masked_bias", full({}, -1e4));
  gpt2.emplace("lm_head.weight", gpt2.at("transformer.wte.weight"));
  io::save_tensors(folder / "gpt2", gpt2);
  auto tied = models::GPT2(small_gpt2());
  models::load_pretrained(tied, folder / "gpt2");
  CHECK(has_all(tied, gpt2));
  gpt2.at("lm_head.weight") = gpt2.at("lm_head.weight") + 1;
  io::save_tensors(folder / "gpt2", gpt2);
  CHECK(contains(message_of<IoError>([&] { models::load_pretrained(tied, folder / "gpt2"); }),
                 "lm_head.weight"));
}

TEST_CASE("load_pretrained: frequencies are left out, statistics are loaded") {
  const Folder folder;
  Tensors llama = stored("llama");
  llama.emplace("model.rotary_emb.inv_freq", zeros({4}));
  io::save_tensors(folder / "llama", llama);
  auto model = models::Llama(stored_llama());
  models::load_pretrained(model, folder / "llama");
  CHECK(has_all(model, llama));

  auto net = models::ResNet({.layers = {1, 1, 1, 1}, .num_classes = 3});
  net.bn1.running_mean = full({64}, 2.5f);
  io::save(folder / "net", net);
  Tensors tensors = io::load_tensors(folder / "net");
  tensors.erase("bn1.num_batches_tracked");  // files of older versions lack it
  io::save_tensors(folder / "net", tensors);
  auto copy = models::ResNet({.layers = {1, 1, 1, 1}, .num_classes = 3});
  models::load_pretrained(copy, folder / "net");
  CHECK(copy.bn1.running_mean->value[7].item<float>() == 2.5f);
  CHECK(has_all(copy, tensors));
}

TEST_CASE("load_pretrained: a folder of shards, and halves") {
  const Folder folder;
  const Tensors gpt2 = stored("gpt2");
  Tensors shards[2];
  std::string map;
  for (const auto& [name, tensor] : gpt2) {
    const std::size_t shard = name.size() % 2;
    shards[shard].emplace(name, tensor.to(shard == 0 ? f32 : bf16));
    map += (map.empty() ? "\"" : ", \"") + name + "\": \"part" + std::to_string(shard) + "\"";
  }
  io::save_tensors(folder / "part0", shards[0]);
  io::save_tensors(folder / "part1", shards[1]);
  std::ofstream(folder / "model.safetensors.index.json")
      << "{\"metadata\": {\"total_size\": 1.5e3, \"a\": [true, null, \"}\"]}, \"weight_map\": {"
      << map << "}}\n";
  auto model = models::GPT2(small_gpt2());
  models::load_pretrained(model, folder.path.string());
  for (const auto& [name, parameter] : nn::named_parameters(model)) {
    CHECK(parameter.dtype() == f32);
    CHECK(distance(parameter, gpt2.at(name)) < 0.005);
  }
}

TEST_CASE("load_pretrained: what does not fit is named, and nothing changes") {
  const Folder folder;
  auto model = models::GPT2(small_gpt2());
  const Tensors before = [&] {
    const auto list = nn::named_parameters(model);
    return Tensors(list.begin(), list.end());
  }();
  Tensors gpt2 = stored("gpt2");
  gpt2.erase("transformer.h.1.mlp.c_fc.bias");
  gpt2.at("transformer.wpe.weight") = zeros({13, 16});
  gpt2.at("transformer.ln_f.bias") = zeros({16}, i64);
  gpt2.emplace("transformer.h.2.ln_1.weight", zeros({16}));
  io::save_tensors(folder / "file", gpt2);
  const std::string message =
      message_of<IoError>([&] { models::load_pretrained(model, folder / "file"); });
  for (const char* const part :
       {"missing", "h.1.mlp.c_fc.bias", "left over", "h.2.ln_1.weight", "wpe.weight: f32[13, 16]",
        "f32[12, 16]", "ln_f.bias: i64[16]", "pretrained_test.cpp"}) {
    CAPTURE(message);
    CHECK(contains(message, part));
  }
  CHECK(has_all(model, before));

  gpt2.erase("transformer.wpe.weight");
  gpt2.erase("transformer.ln_f.bias");
  io::save_tensors(folder / "file", gpt2);
  const io::LoadResult result = models::load_pretrained(model, folder / "file", {.strict = false});
  CHECK(result.missing.size() == 3);
  CHECK(result.unexpected == std::vector<std::string>{"transformer.h.2.ln_1.weight"});
  CHECK(distance(model.transformer.wte.weight, gpt2.at("transformer.wte.weight")) == 0);
  CHECK(contains(message_of<IoError>([&] { models::load_pretrained(model, folder / "none"); }),
                 "none"));
}
