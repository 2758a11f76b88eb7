#pragma once
// What the transformers share: heads, masks, and checks of options and arguments.

#include <string_view>  // std::string_view

#include <sinter/sinter.hpp>

namespace sinter::inline SINTER_ABI::models::detail {

constexpr bool is_floating(DType dtype) {
  return dtype == f16 || dtype == bf16 || dtype == f32 || dtype == f64;
}

/// (batch, length, heads * width) -> (batch, heads, length, width).
Tensor split_heads(const Tensor& x, std::int64_t heads);
/// The inverse.
Tensor merge_heads(const Tensor& x);

/// The mask (batch, length), which is not 0 where there is a token, as (batch, 1, 1, length); an
/// undefined one if it is undefined.
Tensor key_mask(const Tensor& attention_mask);

struct Attend {
  Tensor mask{};  ///< As key_mask() gives it.
  bool causal = false;
  double scale = 0;  ///< 0: 1 / sqrt(width).
  double dropout = 0;
  bool enable_gqa = false;
};

/// Attention of (batch, heads, length, width), merged: (batch, length, heads * width).
Tensor attend(const Tensor& query, const Tensor& key, const Tensor& value, const Attend& options);

/// The probability of `dropout`, or 0 unless it is in training.
double active(const nn::Dropout& dropout);

/// An option of a model: its name and value.
struct Option {
  std::string_view name;
  std::int64_t value = 0;
};

/// Throws ValueError unless each of the options is at least 1.
void require_positive(std::string_view model, std::initializer_list<Option> options, Where where);
/// Throws ValueError unless `part` divides `whole`.
void require_divides(std::string_view model, Option whole, Option part, Where where);

/// Throws ShapeError unless `ids` are (batch, length), with at most `longest` positions, and masks
/// that are defined fit them; DTypeError unless they are integers.
void require_tokens(std::string_view model, const Operand& ids, const Tensor& attention_mask,
                    Option longest);

/// Throws ShapeError unless `images` are (batch, channels, height, width); sizes of 0 may be any.
void require_images(std::string_view model, const Operand& images, std::int64_t channels,
                    std::int64_t size);

/// Assigns normal values, as models of Hugging Face are initialised, and zeros to the bias.
void initialize(nn::Linear& layer, double range, Where where);
/// The same; the row of `padding_idx` is 0.
void initialize(nn::Embedding& layer, double range, Where where);

}  // namespace sinter::inline SINTER_ABI::models::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/models/attention.ipp>
#endif
