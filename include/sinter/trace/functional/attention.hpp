#pragma once
// Scaled dot-product attention.

#include <optional>     // std::optional
#include <type_traits>  // std::decay_t
#include <utility>      // std::forward

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/module/call_at.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// A function that modifies attention scores before the softmax: (score, batch, head, query index,
/// key index) -> score. It is called once, with tensors: the scores (batch, heads, queries, keys),
/// and i64 indices that broadcast to them.
class ScoreFunction {
 public:
  ScoreFunction() = default;
  template <class F>
  requires(!std::is_same_v<std::decay_t<F>, ScoreFunction> &&
           std::is_invocable_v<const std::decay_t<F>&, const Tensor&, const Tensor&, const Tensor&,
                               const Tensor&, const Tensor&>) ScoreFunction(F&& function)
      : function_(make_shared_ptr<std::decay_t<F>>(std::forward<F>(function))),
        call_(&call<std::decay_t<F>>) {}

  explicit operator bool() const { return call_ != nullptr; }
  Tensor operator()(const Tensor& score, const Tensor& batch, const Tensor& head,
                    const Tensor& query, const Tensor& key, Where where) const {
    return call_(function_.get(), score, batch, head, query, key, where);
  }

 private:
  template <class F>
  static Tensor call(const void* function, const Tensor& score, const Tensor& batch,
                     const Tensor& head, const Tensor& query, const Tensor& key, Where where) {
    const F& called = *static_cast<const F*>(function);
    return Operand(detail::call_at(where, called, score, batch, head, query, key), where).tensor();
  }

  SharedPtr<const void> function_;
  Tensor (*call_)(const void*, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                  const Tensor&, Where) = nullptr;
};

}  // namespace detail

struct AttentionOptions {
  std::optional<Tensor> mask{};   ///< Boolean: true for keys that take part. Floating: added.
  bool causal = false;            ///< Query i attends to keys 0 to i.
  std::optional<double> scale{};  ///< 1 / sqrt(width), unless it is given.
  double dropout = 0;             ///< The fraction of weights that is dropped.
  detail::ScoreFunction score{};  ///< Applied to the scores before the mask.
  bool enable_gqa = false;        ///< Several query heads share one key head.
};

/// softmax(query * transpose(key) * scale + mask) * value. Queries without any unmasked key give 0.
/// For f16 and bf16 the softmax is computed in f32.
///
/// Shapes   query (..., queries, width), key (..., keys, width), value (..., keys, out)
/// -> (..., queries, out); leading axes broadcast, the last of them is the heads; the mask
/// broadcasts to (..., queries, keys)
/// DTypes   floating
/// Throws   ShapeError if they do not fit; DTypeError for a mask of integers
/// Source   https://arxiv.org/abs/1706.03762; score functions: https://arxiv.org/abs/2412.05496
Tensor scaled_dot_product_attention(Operand query, Operand key, Operand value,
                                    AttentionOptions options = {});

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/attention.ipp>
#endif
