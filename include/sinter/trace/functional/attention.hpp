#pragma once
// Attention: each query takes the mean of the values, weighted by how well their keys fit.

#include <memory>       // std::shared_ptr
#include <optional>     // std::optional
#include <type_traits>  // std::decay_t
#include <utility>      // std::forward

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/module/call_at.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// A function that changes the scores of an attention before the softmax:
/// (score, batch, head, query index, key index) -> score. It is called once, with tensors: the
/// scores (batch, heads, queries, keys), and i64 indices that broadcast to them.
class ScoreFunction {
 public:
  ScoreFunction() = default;
  template <class F>
  requires(!std::is_same_v<std::decay_t<F>, ScoreFunction> &&
           std::is_invocable_v<const std::decay_t<F>&, const Tensor&, const Tensor&, const Tensor&,
                               const Tensor&, const Tensor&>) ScoreFunction(F&& function)
      : function_(std::make_shared<std::decay_t<F>>(std::forward<F>(function))),
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

  std::shared_ptr<const void> function_;
  Tensor (*call_)(const void*, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                  const Tensor&, Where) = nullptr;
};

}  // namespace detail

struct AttentionOptions {
  std::optional<Tensor> mask{};   ///< Boolean: who takes part. Floating: added to the scores.
  bool causal = false;            ///< Query i sees the keys 0 to i.
  std::optional<double> scale{};  ///< 1 / sqrt(width), unless it is given.
  double dropout = 0;             ///< The part of the weights that is dropped.
  detail::ScoreFunction score{};  ///< Changes the scores, before they are masked.
  bool enable_gqa = false;        ///< Several heads of the queries share one of the keys.
};

/// softmax(query * transpose(key) * scale + mask) * value. Queries that see no key give 0. f16 and
/// bf16 compute the softmax in f32.
///
/// Shapes   query (..., queries, width), key (..., keys, width), value (..., keys, out)
///          -> (..., queries, out); leading axes broadcast, the last of them are heads; the mask
///          broadcasts to (..., queries, keys)
/// DTypes   floating
/// Throws   ShapeError if they do not fit; DTypeError for a mask of integers
/// Source   https://arxiv.org/abs/1706.03762; score functions: https://arxiv.org/abs/2412.05496
Tensor scaled_dot_product_attention(Operand query, Operand key, Operand value,
                                    AttentionOptions options = {});

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/attention.ipp>
#endif
