#pragma once

#include <algorithm>  // std::min_element, std::stable_sort
#include <cstdio>     // std::snprintf
#include <filesystem>  // std::filesystem::is_directory
#include <set>         // std::set
#include <utility>     // std::move

#include <sinter/base/hash.hpp>
#include <sinter/io/json.hpp>
#include <sinter/io/shards.hpp>

namespace sinter::inline SINTER_ABI::io {

namespace detail {

namespace fs = std::filesystem;

inline constexpr const char* index_name = "model.safetensors.index.json";
inline constexpr const char* whole_name = "model.safetensors";

// An index: {"metadata": {"total_size": 96, "save": 2}, "weight_map": {"a": "model-...", ...}}
struct Index {
  std::map<std::string, std::string> files{};  ///< That of each tensor.
  std::int64_t total_size = 0;                 ///< The bytes of all tensors; written, not read.
  std::int64_t save = 1;                       ///< Counts the saves to this folder.
};

SINTER_INLINE void read_index_metadata(Scanner& scanner, Index& index) {
  read_json_object(scanner, [&](const std::string& key) {
    if (key != "save") return skip_json_value(scanner);
    index.save = scanner.integer();
  });
}

SINTER_INLINE Index read_index(const Access& access) {
  const InputFile file(access);
  const std::string text = file.read(0, static_cast<std::size_t>(file.size()));
  Scanner scanner(access, "the index", text);
  Index result;
  read_json_object(scanner, [&](const std::string& key) {
    if (key == "metadata") return read_index_metadata(scanner, result);
    if (key != "weight_map") return skip_json_value(scanner);
    read_json_object(
        scanner, [&](const std::string& name) { result.files[name] = read_json_string(scanner); });
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

[[noreturn]] SINTER_INLINE void refuse_twice(const Access& access, const std::string& name,
                                             const std::string& second) {
  refuse(access, {.what = "two shards have a tensor of the same name",
                  .facts = {{"name", shown(name)}, {"second", shown(second)}},
                  .rule = "each tensor is in one shard",
                  .fix = "save the checkpoint again"});
}

// Throws unless the entries are those of the index.
SINTER_INLINE void require_entries(const Access& access, const Index& index,
                                   const std::vector<SafetensorsEntry>& entries,
                                   const std::vector<std::string>& shards) {
  std::set<std::string_view> names;
  for (const SafetensorsEntry& entry : entries) {
    if (!names.insert(entry.name).second) refuse_twice(access, entry.name, shards[entry.file]);
  }
  for (const auto& [name, shard] : index.files) {
    if (names.count(name) != 0) continue;
    refuse(access, {.what = "a shard lacks a tensor of the index",
                    .facts = {{"name", shown(name)}, {"shard", shown(shard)}},
                    .rule = "shards have all tensors that the index names",
                    .fix = "copy the shard again, or save the checkpoint again"});
  }
}

// The files of a checkpoint and what is in them.
struct ShardEntries {
  StateFiles files;
  std::vector<SafetensorsEntry> entries;
};

SINTER_INLINE ShardEntries open_index(const Access& access) {
  const fs::path folder = fs::path(access.path).parent_path();
  const Index index = read_index(access);
  std::set<std::string> names;
  for (const auto& [name, shard] : index.files) names.insert(shard);
  std::vector<std::string> paths;
  for (const std::string& shard : names) {
    require_file_name(access, shard);
    paths.push_back((folder / shard).string());
    std::error_code ignored;
    if (fs::exists(paths.back(), ignored)) continue;
    refuse(access,
           {.what = "a shard is missing",
            .facts = {{"shard", shown(shard)}},
            .rule = "the files that the index names are beside it",
            .fix = "copy the shard, too; if the checkpoint was being saved, load it again"});
  }
  StateFiles files(access, std::move(paths));
  std::vector<SafetensorsEntry> entries = files.entries();
  require_entries(access, index, entries, {names.begin(), names.end()});
  return {std::move(files), std::move(entries)};
}

// How many files of a save that was not committed are in the folder.
SINTER_INLINE int shard_files(const std::string& folder) {
  int result = 0;
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(folder, ignored)) {
    const std::string name = file.path().filename().string();
    result += name.starts_with("model-") && name.ends_with(".safetensors") ? 1 : 0;
  }
  return result;
}

SINTER_INLINE ShardEntries open_whole(const Access& access) {
  StateFiles files(access, {access.path});
  std::vector<SafetensorsEntry> entries = files.entries();
  return {std::move(files), std::move(entries)};
}

SINTER_INLINE ShardEntries open_shards(const Access& access) {
  const auto at = [&](const std::string& path) { return Access{access.op, path, access.where}; };
  std::error_code ignored;
  if (!fs::is_directory(access.path, ignored)) {
    return access.path.ends_with(".index.json") ? open_index(access) : open_whole(access);
  }
  const fs::path whole = fs::path(access.path) / whole_name;
  const fs::path index = fs::path(access.path) / index_name;
  if (fs::exists(whole, ignored)) return open_whole(at(whole.string()));
  if (fs::exists(index, ignored)) return open_index(at(index.string()));
  const int shards = shard_files(access.path);
  if (shards > 0) {
    refuse(access,
           {.what = "the folder has shards without their index",
            .facts = {{"shards", sinter::detail::text(shards)}, {"missing", index_name}},
            .rule = "the index is written when all ranks have written their shards",
            .fix = "the save was interrupted: load the checkpoint before it, or save again; "
                   "if the folder was copied, copy the index, too"});
  }
  refuse(access,
         {.what = "the folder has no safetensors checkpoint",
          .rule = "it has model.safetensors, or model.safetensors.index.json and its shards",
          .fix = "save the model with safe_serialization, or give the path of the file"});
}

SINTER_INLINE void require_rank(const Access& access, const ShardOptions& options) {
  if (options.rank >= 0 && options.rank < options.ranks) return;
  throw ValueError({.op = access.op,
                    .what = "there is no such rank",
                    .facts = {{"rank", sinter::detail::text(options.rank)},
                              {"ranks", sinter::detail::text(options.ranks)}},
                    .rule = "0 <= rank < ranks",
                    .fix = "pass {.rank = world.rank(), .ranks = world.size()}",
                    .where = access.where,
                    .see = "files"});
}

SINTER_INLINE std::uint64_t whole_bytes(const StateSlot& slot, Where where) {
  if (slot.part.ranks == 0) return bytes_of(slot.tensor->type(), where);
  std::uint64_t result = sinter::detail::info(slot.tensor->dtype()).size;
  for (const std::int64_t size : slot.part.shape) result *= static_cast<std::uint64_t>(size);
  return result;
}

SINTER_INLINE std::vector<int> owners(const State& state, int ranks, Where where) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < state.slots.size(); ++i) {
    const StateSlot& slot = state.slots[i];
    order.emplace_back(slot.tensor->defined() ? whole_bytes(slot, where) : 0, i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::uint64_t> bytes(static_cast<std::size_t>(ranks));
  std::vector<int> result(order.size());
  for (const auto& [size, slot] : order) {
    const auto least = std::min_element(bytes.begin(), bytes.end());
    *least += size;
    result[slot] = static_cast<int>(least - bytes.begin());
  }
  return result;
}

SINTER_INLINE std::string hash_of_state(const State& state, Where where) {
  sinter::detail::Hasher hasher;
  for (const StateSlot& slot : state.slots) {
    if (!slot.tensor->defined()) continue;
    hasher.add(slot.name).add(static_cast<std::uint64_t>(slot.tensor->dtype()));
    hasher.add(whole_bytes(slot, where));
  }
  return to_string(hasher.result());
}

// model-00001-of-00004.safetensors; from the second save on model-2-00001-of-00004.safetensors, so
// that no file of the checkpoint before is overwritten.
SINTER_INLINE std::string shard_name(std::int64_t save, const ShardOptions& options) {
  char numbers[64];
  std::snprintf(numbers, sizeof numbers, "%05d-of-%05d", options.rank + 1, options.ranks);
  return sinter::detail::text("model-", save > 1 ? sinter::detail::text(save, "-") : "", numbers,
                              ".safetensors");
}

// The number of the save in progress: one more than that of the index.
SINTER_INLINE std::int64_t next_save(const Access& access) {
  const fs::path index = fs::path(access.path) / index_name;
  std::error_code ignored;
  if (!fs::exists(index, ignored)) return 1;
  return read_index({access.op, index.string(), access.where}).save + 1;
}

// Throws if readers of the folder would not see its index.
SINTER_INLINE void require_no_whole(const Access& access) {
  std::error_code ignored;
  if (!fs::exists(fs::path(access.path) / whole_name, ignored)) return;
  refuse(access, {.what = "the folder has a checkpoint in one file",
                  .facts = {{"found", whole_name}},
                  .rule = "a folder has one checkpoint; model.safetensors is read before shards",
                  .fix = "save to another folder, or remove the file"});
}

SINTER_INLINE void make_folder(const Access& access) {
  std::error_code error;
  fs::create_directories(access.path, error);
  if (fs::is_directory(access.path, error)) return;
  refuse(access,
         {.what = "the folder cannot be made",
          .facts = {{"system", error.message()}},
          .rule = "a sharded checkpoint is a folder",
          .fix = "name a folder that is there or can be made, and that this user may write"});
}

SINTER_INLINE void save_shard(const Access& access, NamedTensors tensors, const std::string& hash,
                              const ShardOptions& options, std::int64_t save) {
  require_no_whole(access);
  const fs::path path = fs::path(access.path) / shard_name(save, options);
  std::error_code ignored;
  fs::remove(path, ignored);  // of a save that was interrupted: if writing fails now, none is there
  OutputFile file({access.op, path.string(), access.where});
  write_safetensors(file, std::move(tensors), {{"format", "pt"}, {"state", hash}});
  file.commit();
}

SINTER_INLINE void save_own_shard(const Access& access, const State& state,
                                  const ShardOptions& options) {
  require_rank(access, options);
  make_folder(access);
  const std::vector<int> owner = owners(state, options.ranks, access.where);
  NamedTensors own;
  for (std::size_t i = 0; i < state.slots.size(); ++i) {
    const StateSlot& slot = state.slots[i];
    if (slot.tensor->defined() && owner[i] == options.rank)
      own.emplace_back(slot.name, *slot.tensor);
  }
  save_shard(access, std::move(own), hash_of_state(state, access.where), options,
             next_save(access));
}

// Adds the entries of one shard to the index. Throws if the shard was saved from another module.
SINTER_INLINE void add_shard(const Access& access, const std::string& name, std::string& hash,
                             Index& index) {
  const std::string path = (fs::path(access.path) / name).string();
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    refuse(access,
           {.what = "the shard of a rank is missing",
            .facts = {{"shard", shown(name)}},
            .rule = "commit_sharded is called when save_sharded has returned on all ranks",
            .fix = "save again on all ranks, then commit; the old checkpoint is unchanged"});
  }
  const SafetensorsHeader header =
      read_safetensors_header(InputFile({access.op, path, access.where}));
  const auto found = header.metadata.find("state");
  const std::string own = found == header.metadata.end() ? "none" : found->second;
  if (hash.empty()) hash = own;
  if (own != hash) {
    refuse(access, {.what = "ranks have saved different modules",
                    .facts = {{"shard", shown(name)}, {"state", own}, {"others", hash}},
                    .rule = "all ranks save the same names, dtypes and shapes",
                    .fix = "build the same module on all ranks, and save again; the old checkpoint "
                           "is unchanged"});
  }
  for (const SafetensorsEntry& entry : header.entries) {
    if (!index.files.emplace(entry.name, name).second) refuse_twice(access, entry.name, name);
    index.total_size += static_cast<std::int64_t>(bytes_of(entry.type));
  }
}

SINTER_INLINE std::string index_text(const Index& index) {
  std::string files;
  for (const auto& [name, shard] : index.files) {
    files += sinter::detail::text(files.empty() ? "\n    " : ",\n    ", json_string(name), ": ",
                                  json_string(shard));
  }
  return sinter::detail::text("{\n  \"metadata\": {\"total_size\": ", index.total_size,
                              ", \"save\": ", index.save, "},\n  \"weight_map\": {", files,
                              "\n  }\n}\n");
}

// The number of the save that a file is of, or that left it when it was interrupted; 0 if it is no
// shard. The inverse of shard_name().
SINTER_INLINE std::int64_t save_of(std::string_view file) {
  constexpr std::string_view start = "model-";
  if (!file.starts_with(start) || file.find(".safetensors") == file.npos) return 0;
  file.remove_prefix(start.size());
  const auto is_numbered = [](std::string_view rest) {
    return rest.find_first_not_of("0123456789") == 5 && rest.substr(5, 4) == "-of-";
  };
  if (is_numbered(file)) return 1;
  std::int64_t result = 0;
  const auto [end, error] = std::from_chars(file.data(), file.data() + file.size(), result);
  file.remove_prefix(static_cast<std::size_t>(end - file.data()));
  return error == std::errc() && file.starts_with("-") && is_numbered(file.substr(1)) ? result : 0;
}

// Removes the files of the checkpoint before, and what interrupted saves have left.
SINTER_INLINE void remove_old(const std::string& folder, const Index& old, const Index& now) {
  std::set<std::string> kept, removed;
  for (const auto& [name, shard] : now.files) kept.insert(shard);
  for (const auto& [name, shard] : old.files) removed.insert(shard);
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(folder, ignored)) {
    const std::string name = file.path().filename().string();
    const std::int64_t save = save_of(name);
    const bool is_index = name.starts_with(sinter::detail::text(index_name, ".partial-"));
    if (is_index || (save > 0 && save <= now.save)) removed.insert(name);
  }
  for (const std::string& name : removed) {
    const bool is_beside = name.find_first_of("/\\") == std::string::npos;
    if (is_beside && kept.count(name) == 0) fs::remove(fs::path(folder) / name, ignored);
  }
}

SINTER_INLINE LoadResult load_sharded_state(const Access& access, State& state,
                                            const LoadOptions& options) {
  require_no_recording(access);
  ShardEntries found = open_shards(access);
  return load_state(found.files, std::move(found.entries), state, options);
}

}  // namespace detail

SINTER_INLINE void commit_sharded(const std::string& folder, int ranks, Where where) {
  const Access access{"io::commit_sharded", folder, where};
  detail::require_rank(access, {0, ranks});
  detail::require_no_whole(access);
  const detail::fs::path path = detail::fs::path(folder) / detail::index_name;
  std::error_code ignored;
  detail::Index old;
  old.save = 0;
  if (detail::fs::exists(path, ignored)) {
    old = detail::read_index({access.op, path.string(), where});
  }
  detail::Index index{.total_size = 0, .save = old.save + 1};
  std::string hash;
  for (int rank = 0; rank < ranks; ++rank) {
    detail::add_shard(access, detail::shard_name(index.save, {rank, ranks}), hash, index);
  }
  OutputFile file({access.op, path.string(), where});
  file.write(detail::index_text(index));
  file.commit();
  detail::remove_old(folder, old, index);
}

SINTER_INLINE std::map<std::string, Tensor> load_shards(const std::string& path, Where where) {
  detail::ShardEntries found = detail::open_shards({"io::load_shards", path, where});
  std::map<std::string, Tensor> result;
  for (const SafetensorsEntry& entry : found.entries) {
    result[entry.name] =
        read_elements(found.files.file(entry.file), entry.name, entry.offset, entry.type);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::io
