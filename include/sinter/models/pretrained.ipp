#pragma once

#include <algorithm>    // std::min
#include <map>          // std::map
#include <string_view>  // std::string_view

#include <sinter/models/attention.hpp>
#include <sinter/models/pretrained.hpp>

namespace sinter::inline SINTER_ABI::models::detail {

using Slots = std::map<std::string, const PretrainedSlot*>;

// What Hugging Face calls base_model_prefix.
inline constexpr std::string_view base_prefixes[] = {"bert.", "transformer.", "model."};
// What wrappers of modules in torch put in front.
inline constexpr std::string_view wrapper_prefixes[] = {"_orig_mod.", "module."};
// Names of older versions, and today's.
inline constexpr std::pair<std::string_view, std::string_view> old_names[] = {
    {"LayerNorm.gamma", "LayerNorm.weight"},
    {"LayerNorm.beta", "LayerNorm.bias"},
    {"mlp.linear_1.", "mlp.0."},
    {"mlp.linear_2.", "mlp.3."}};
// Buffers that older files have, and that models compute.
inline constexpr std::string_view computed_buffers[] = {
    "attn.bias",    "attn.masked_bias", "crossattention.bias", "crossattention.masked_bias",
    "position_ids", "token_type_ids",   "rotary_emb.inv_freq", "rotary_emb.original_inv_freq"};

SINTER_INLINE bool is_computed(std::string_view name) {
  for (const std::string_view end : computed_buffers) {
    if (name != end && !name.ends_with("." + std::string(end))) continue;
    return true;
  }
  return false;
}

SINTER_INLINE std::string modern_name(std::string name) {
  for (const std::string_view prefix : wrapper_prefixes) {
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  }
  for (const auto& [from, to] : old_names) {
    const std::size_t at = name.find(from);
    if (at != std::string::npos) name.replace(at, from.size(), to);
  }
  return name;
}

/// What is loaded, and what does not fit.
struct Matches {
  std::map<std::string, const Tensor*> found{};  ///< By name of the model.
  std::vector<std::string> unexpected{}, missing{}, differing{};
  std::vector<std::string> heads{};  ///< Of other tasks.
  std::string removed{};             ///< The prefix that the file has, and the model has not.
};

// The name in the model of a tensor of the file; empty if it has none.
SINTER_INLINE std::string name_in_model(const Slots& slots, const std::string& name,
                                        Matches& matches) {
  if (slots.count(name) != 0) return name;
  for (const std::string_view prefix : base_prefixes) {
    const bool has_prefix = name.starts_with(prefix);
    const std::string other = has_prefix ? name.substr(prefix.size()) : std::string(prefix) + name;
    if (slots.count(other) == 0) continue;
    if (has_prefix) matches.removed = prefix;
    return other;
  }
  return "";
}

// Whether the tensor is the head of a language model, equal to the embeddings that it is tied to.
SINTER_INLINE bool is_tied(const std::map<std::string, Tensor>& tensors, const std::string& name) {
  if (name != "lm_head.weight") return false;
  const Tensor& head = tensors.at(name);
  for (const auto& [other, tensor] : tensors) {
    const bool is_embedding =
        other.ends_with("wte.weight") || other.ends_with("embed_tokens.weight");
    if (!is_embedding || to_string(tensor.shape()) != to_string(head.shape())) continue;
    return static_cast<bool>(all(tensor.to(f32) == head.to(f32)));
  }
  return false;
}

SINTER_INLINE bool may_replace(const Tensor& found, const Tensor& expected) {
  const bool same_kind = is_floating(found.dtype()) && is_floating(expected.dtype());
  return (same_kind || found.dtype() == expected.dtype()) &&
         to_string(found.shape()) == to_string(expected.shape());
}

SINTER_INLINE Matches match(const Slots& slots, const std::map<std::string, Tensor>& tensors) {
  Matches matches;
  std::vector<std::string> left_over;
  for (const auto& [in_file, tensor] : tensors) {
    if (is_computed(in_file)) continue;
    const std::string name = name_in_model(slots, modern_name(in_file), matches);
    const bool is_new = !name.empty() && matches.found.emplace(name, &tensor).second;
    if (!is_new) {
      if (!is_tied(tensors, in_file)) left_over.push_back(in_file);
    } else if (!may_replace(tensor, *slots.at(name)->tensor)) {
      matches.differing.push_back(name + ": " + to_string(tensor) + " in the file, " +
                                  to_string(*slots.at(name)->tensor) + " in the model");
    }
  }
  for (const std::string& name : left_over) {
    const bool is_head =
        !matches.removed.empty() && !modern_name(name).starts_with(matches.removed);
    (is_head ? matches.heads : matches.unexpected).push_back(name);
  }
  for (const auto& [name, slot] : slots) {
    if (!slot->is_buffer && matches.found.count(name) == 0) matches.missing.push_back(name);
  }
  return matches;
}

SINTER_INLINE std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 50;  // about a screen
  std::string result;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
    result.append(i == 0 ? "" : ", ").append(names[i]);
  }
  if (names.size() > most) result += " and " + std::to_string(names.size() - most) + " more";
  return names.empty() ? "none" : result;
}

SINTER_INLINE void require_match(const Matches& matches, const std::string& path,
                                 const PretrainedOptions& options, Where where) {
  const bool names_fit = matches.missing.empty() && matches.unexpected.empty();
  if (matches.differing.empty() && (names_fit || !options.strict)) return;
  throw IoError({.op = "models::load_pretrained",
                 .what = "the file does not have the weights of this model",
                 .facts = {{"file", path},
                           {"missing", listed(matches.missing)},
                           {"left over", listed(matches.unexpected)},
                           {"another shape or dtype", listed(matches.differing)}},
                 .rule = "the file has each parameter of the model, in its shape, and no other",
                 .fix = "build the model with the options of its config.json, or load with "
                        "{.strict = false}",
                 .where = where,
                 .see = "files"});
}

SINTER_INLINE void require_no_recording(const std::string& path, Where where) {
  if (!is_recording()) return;
  throw GraphBreakError({.op = "models::load_pretrained",
                         .what = "weights are loaded while a function is recorded",
                         .facts = {{"file", path}},
                         .rule = "parameters have no values during recording, only placeholders",
                         .fix = "load before the call of the compiled function",
                         .where = where,
                         .see = "graph-breaks"});
}

SINTER_INLINE io::LoadResult load_pretrained(const std::vector<PretrainedSlot>& slots,
                                             const std::string& path,
                                             const PretrainedOptions& options, Where where) {
  require_no_recording(path, where);
  Slots by_name;
  for (const PretrainedSlot& slot : slots) by_name.emplace(slot.name, &slot);
  const std::map<std::string, Tensor> tensors = io::load_shards(path, where);
  Matches matches = match(by_name, tensors);
  require_match(matches, path, options, where);
  for (const auto& [name, tensor] : matches.found) {
    Tensor& target = *by_name.at(name)->tensor;
    target = tensor->to(target.dtype(), where).to(target.device(), where);
  }
  matches.unexpected.insert(matches.unexpected.end(), matches.heads.begin(), matches.heads.end());
  return {std::move(matches.missing), std::move(matches.unexpected)};
}

}  // namespace sinter::inline SINTER_ABI::models::detail
