#pragma once
// Loads weights that torchvision and Hugging Face saved into models.

#include <string>   // std::string
#include <utility>  // std::move
#include <vector>   // std::vector

#include <sinter/io/shards.hpp>
#include <sinter/sinter.hpp>

namespace sinter::inline SINTER_ABI::models {

struct PretrainedOptions {
  bool strict = true;  ///< If false, names that lack or are left over are returned, not refused.
};

namespace detail {

struct PretrainedSlot {
  std::string name;
  Tensor* tensor = nullptr;
  bool is_buffer = false;
};

io::LoadResult load_pretrained(const std::vector<PretrainedSlot>& slots, const std::string& path,
                               const PretrainedOptions& options, Where where);

}  // namespace detail

/// Loads the parameters and buffers of `model` by name: from a safetensors file, a folder with
/// model.safetensors, or one with shards and model.safetensors.index.json. Floating tensors are
/// converted to the dtype of the parameter.
///
/// As in Hugging Face, the file may have the prefix of the base model (`bert.`, `transformer.`,
/// `model.`) where the model has none, and the reverse; older names (LayerNorm.gamma, linear_1);
/// and buffers that are no parameters (attn.bias, position_ids, inv_freq). Buffers may be missing.
/// If all that is loaded has a prefix, heads outside of it are skipped, and returned as unexpected.
///
/// Throws   IoError if the file cannot be read, or lists what is missing, left over, or has another
///          shape; the model is unchanged then
template <class M>
io::LoadResult load_pretrained(M& model, const std::string& path, const PretrainedOptions& options,
                               Where where = Where::current()) {
  std::vector<detail::PretrainedSlot> slots;
  nn::for_each_parameter(model, [&](std::string name, Tensor& parameter) {
    if (parameter.defined()) slots.push_back({std::move(name), &parameter, false});
  });
  nn::for_each_buffer(model, [&](std::string name, Tensor& buffer) {
    if (buffer.defined()) slots.push_back({std::move(name), &buffer, true});
  });
  return detail::load_pretrained(slots, path, options, where);
}
template <class M>
io::LoadResult load_pretrained(M& model, const std::string& path, Where where = Where::current()) {
  return load_pretrained(model, path, PretrainedOptions{}, where);
}

}  // namespace sinter::inline SINTER_ABI::models

#ifdef SINTER_DEFINITIONS
#include <sinter/models/pretrained.ipp>
#endif
