#pragma once

#include <filesystem>  // std::filesystem::is_directory
#include <set>         // std::set
#include <utility>     // std::move

#include <sinter/io/json.hpp>
#include <sinter/io/shards.hpp>

namespace sinter::inline SINTER_ABI::io {

namespace detail {

// The file of each tensor.
SINTER_INLINE std::map<std::string, std::string> read_index(const Access& access) {
  const InputFile file(access);
  const std::string text = file.read(0, static_cast<std::size_t>(file.size()));
  Scanner scanner(access, "the index", text);
  std::map<std::string, std::string> result;
  read_json_object(scanner, [&](const std::string& key) {
    if (key != "weight_map") return skip_json_value(scanner);
    read_json_object(scanner,
                     [&](const std::string& name) { result[name] = read_json_string(scanner); });
  });
  scanner.end();
  return result;
}

SINTER_INLINE void require_file_name(const Access& access, const std::string& name) {
  if (!name.empty() && name.find_first_of("/\\") == std::string::npos && name != "..") return;
  refuse(access, {.what = "the index names a file outside of its folder",
                  .facts = {{"shard", shown(name)}},
                  .rule = "shards are files beside the index",
                  .fix = "move the file there, and correct the index"});
}

SINTER_INLINE std::map<std::string, Tensor> load_index(const Access& access) {
  const std::filesystem::path folder = std::filesystem::path(access.path).parent_path();
  const std::map<std::string, std::string> index = read_index(access);
  std::set<std::string> shards;
  for (const auto& [name, shard] : index) shards.insert(shard);
  std::map<std::string, Tensor> result;
  for (const std::string& shard : shards) {
    require_file_name(access, shard);
    for (auto& [name, tensor] : load_tensors((folder / shard).string(), access.where)) {
      if (result.emplace(name, std::move(tensor)).second) continue;
      refuse(access, {.what = "two shards have a tensor of the same name",
                      .facts = {{"name", shown(name)}, {"second", shown(shard)}},
                      .rule = "each tensor is in one shard",
                      .fix = "save the checkpoint again"});
    }
  }
  for (const auto& [name, shard] : index) {
    if (result.count(name) != 0) continue;
    refuse(access, {.what = "a shard lacks a tensor of the index",
                    .facts = {{"name", shown(name)}, {"shard", shown(shard)}},
                    .rule = "shards have all tensors that the index names",
                    .fix = "copy the shard again, or save the checkpoint again"});
  }
  return result;
}

}  // namespace detail

SINTER_INLINE std::map<std::string, Tensor> load_shards(const std::string& path, Where where) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    if (path.ends_with(".index.json")) return detail::load_index({"io::load_shards", path, where});
    return load_tensors(path, where);
  }
  const fs::path whole = fs::path(path) / "model.safetensors";
  const fs::path index = fs::path(path) / "model.safetensors.index.json";
  if (fs::exists(whole, ignored)) return load_tensors(whole.string(), where);
  if (fs::exists(index, ignored)) {
    return detail::load_index({"io::load_shards", index.string(), where});
  }
  refuse({"io::load_shards", path, where},
         {.what = "the folder has no safetensors checkpoint",
          .rule = "it has model.safetensors, or model.safetensors.index.json and its shards",
          .fix = "save the model with safe_serialization, or give the path of the file"});
}

}  // namespace sinter::inline SINTER_ABI::io
