#pragma once

#include <sinter/models/attention.hpp>

namespace sinter::inline SINTER_ABI::models::detail {

SINTER_INLINE Tensor split_heads(const Tensor& x, std::int64_t heads) {
  return transpose(reshape(x, {x.size(0), x.size(1), heads, x.size(2) / heads}), 1, 2);
}

SINTER_INLINE Tensor merge_heads(const Tensor& x) {
  return reshape(transpose(x, 1, 2), {x.size(0), x.size(2), x.size(1) * x.size(3)});
}

SINTER_INLINE Tensor key_mask(const Tensor& attention_mask) {
  if (!attention_mask.defined()) return {};
  const bool is_boolean = attention_mask.dtype() == boolean;
  const Tensor takes_part = is_boolean ? attention_mask : attention_mask != 0;
  return unsqueeze(unsqueeze(takes_part, 1), 1);
}

SINTER_INLINE Tensor attend(const Tensor& query, const Tensor& key, const Tensor& value,
                            const Attend& options) {
  AttentionOptions attention{
      .causal = options.causal, .dropout = options.dropout, .enable_gqa = options.enable_gqa};
  if (options.mask.defined()) attention.mask = options.mask;
  if (options.scale != 0) attention.scale = options.scale;
  return merge_heads(scaled_dot_product_attention(query, key, value, attention));
}

SINTER_INLINE double active(const nn::Dropout& dropout) { return dropout.training ? dropout.p : 0; }

SINTER_INLINE void require_positive(std::string_view model, std::initializer_list<Option> options,
                                    Where where) {
  for (const Option& option : options) {
    if (option.value >= 1) continue;
    throw ValueError({.op = model,
                      .what = "an option is less than 1",
                      .facts = {{option.name, to_string(Extent(option.value))}},
                      .rule = "sizes and numbers of layers and heads are at least 1",
                      .fix = "give the values of the config.json of the model",
                      .where = where});
  }
}

SINTER_INLINE void require_divides(std::string_view model, Option whole, Option part, Where where) {
  require_positive(model, {whole, part}, where);
  if (whole.value % part.value == 0) return;
  throw ValueError({.op = model,
                    .what = "two options do not fit",
                    .facts = {{whole.name, to_string(Extent(whole.value))},
                              {part.name, to_string(Extent(part.value))}},
                    .rule = std::string(whole.name) + " % " + std::string(part.name) + " == 0",
                    .fix = "use a divisor, or another width",
                    .where = where});
}

SINTER_INLINE void require_tokens(std::string_view model, const Operand& ids,
                                  const Tensor& attention_mask, Option longest) {
  const DType dtype = ids.type().dtype;
  if (dtype == boolean || is_floating(dtype)) {
    throw DTypeError({.op = model,
                      .what = "the ids are not integers",
                      .facts = {{"input_ids", to_string(ids)}},
                      .rule = "ids are integers, at least 0 and less than vocab_size",
                      .fix = "cast them: ids.to(i64)",
                      .where = ids.where});
  }
  const Shape shape = ids.shape();
  if (shape.size() != 2) {
    throw ShapeError({.op = model,
                      .what = "the ids have the wrong rank",
                      .facts = {{"input_ids", to_string(ids)}},
                      .rule = "input_ids are (batch, length)",
                      .fix = "unsqueeze(ids, 0) makes a batch of one",
                      .where = ids.where});
  }
  if (longest.value != 0 && shape[1] > longest.value) {
    throw ShapeError(
        {.op = model,
         .what = "the sequence is longer than the model has positions",
         .facts = {{"input_ids", to_string(ids)}, {longest.name, to_string(Extent(longest.value))}},
         .rule = "the length is at most " + std::string(longest.name),
         .fix = "take a part of it: ids[{all, Slice{0, n}}]",
         .where = ids.where});
  }
  if (!attention_mask.defined() || attention_mask.ndim() == 2) return;
  throw ShapeError(
      {.op = model,
       .what = "the mask has the wrong rank",
       .facts = {{"input_ids", to_string(ids)}, {"attention_mask", to_string(attention_mask)}},
       .rule = "attention_mask is (batch, length), and 0 for padding",
       .fix = "give one number for each id",
       .where = ids.where});
}

SINTER_INLINE void require_images(std::string_view model, const Operand& images,
                                  std::int64_t channels, std::int64_t size) {
  const Shape shape = images.shape();
  const bool fits = shape.size() == 4 && (channels == 0 || shape[1] == channels) &&
                    (size == 0 || (shape[2] == size && shape[3] == size));
  if (fits) return;
  const std::string side = size == 0 ? "" : to_string(Extent(size));
  throw ShapeError({.op = model,
                    .what = "the images do not fit the model",
                    .facts = {{"images", to_string(images)}},
                    .rule = "images are (batch, " + to_string(Extent(channels)) + ", " +
                            (size == 0 ? "height, width" : side + ", " + side) + ")",
                    .fix = "put the channels first, and interpolate to the size of the model",
                    .where = images.where});
}

SINTER_INLINE void initialize(nn::Linear& layer, double range, Where where) {
  nn::init::normal_(layer.weight, 0, range, where);
  if (layer.bias) nn::init::zeros_(*layer.bias, where);
}

SINTER_INLINE void initialize(nn::Embedding& layer, double range, Where where) {
  nn::init::normal_(layer.weight, 0, range, where);
  if (layer.padding_idx) layer.weight = set(layer.weight, *layer.padding_idx, 0);
}

}  // namespace sinter::inline SINTER_ABI::models::detail
