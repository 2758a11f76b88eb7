#pragma once
// GradScaler: f16 training with a scaled loss; skips steps whose gradients overflow.

#include <sinter/config.hpp>
#include <sinter/optim/update.hpp>
#include <sinter/trace/context/state.hpp>
#include <sinter/trace/module/module.hpp>

namespace sinter::inline SINTER_ABI::amp {

namespace detail {

/// The tensors of an optimizer and a module before a step.
class Snapshot : public sinter::detail::LeafVisitor {
 public:
  Snapshot();
  Snapshot(const Snapshot&) = delete;
  ~Snapshot();

  void tensor(Tensor& value, const sinter::detail::LeafName&) { add(value); }
  void typed(auto& value, const sinter::detail::LeafName&) { add(value.tensor()); }
  void scalar(Scalar& value, const sinter::detail::LeafName&) { add(value.tensor()); }
  void buffer(nn::Buffer& value, const sinter::detail::LeafName&) { add(value.value); }

  /// Unless `keeps`, restores what has changed since: the value before the step, or at creation.
  void restore_unless(const Tensor& keeps, Where where);

 private:
  void add(Tensor& value) { old_.push_back({&value, value}); }

  sinter::detail::Vector<sinter::detail::StateBefore> old_{}, *outer_;
};

}  // namespace detail

/// Unscaled gradients, to be clipped and given to GradScaler::step.
struct UnscaledGradients : Gradients {
  Tensor is_finite;
};

/// Multiplies a loss, so that gradients do not vanish in f16. A step with a gradient that is not
/// finite changes neither parameters nor the state of the optimizer, and the scale shrinks; after
/// growth_interval finite steps in a row it grows. Nothing is read: a compiled training step stays
/// one graph.
///
/// Source   https://docs.pytorch.org/docs/stable/amp.html#gradient-scaling
struct GradScaler {
  float init_scale = 65536.0f, growth_factor = 2.0f, backoff_factor = 0.5f;
  int growth_interval = 2000;
  bool enabled = true;
  Scalar current = init_scale;  ///< The scale. What follows is state, which io::save writes.
  Scalar growth_tracker = 0;    ///< Finite steps since the scale changed.
  Scalar outcome = 0;           ///< Since update(): 0 without a step, 1 all finite, 2 some not.
  SINTER_MODULE(GradScaler, init_scale, growth_factor, backoff_factor, growth_interval, enabled,
                current, growth_tracker, outcome)

  /// The loss times the scale, at least in f32; calls update().
  Tensor scale(Operand loss);
  /// Gradients of a scaled loss divided by the scale.
  ///
  /// Throws DTypeError for gradients in f16, which parameters in f32 under autocast do not have
  UnscaledGradients unscale(const Gradients& gradients, Where where = Where::current()) const;

  /// optimizer.step(module, gradients) with gradients of a scaled loss, unless one is not finite.
  template <class Optimizer, class M>
  void step(Optimizer& optimizer, M& module, const Gradients& gradients,
            Where where = Where::current()) {
    step(optimizer, module, unscale(gradients, where), where);
  }
  template <class Optimizer, class M>
  void step(Optimizer& optimizer, M& module, const UnscaledGradients& gradients,
            Where where = Where::current()) {
    if (!enabled) return optimizer.step(module, gradients, where);
    detail::Snapshot before;
    sinter::detail::walk(optimizer, before, {});
    sinter::detail::walk(module, before, {});
    optimizer.step(module, gradients, where);
    before.restore_unless(gradients.is_finite, where);
    note(gradients.is_finite, where);
  }
  /// Changes the scale as the steps since the last update require. Optional: scale() does it too.
  void update(Where where = Where::current());
  /// The scale; a read on the host.
  double get_scale(Where where = Where::current()) const { return current.item<double>(where); }

 private:
  void note(const Tensor& is_finite, Where where);
};

}  // namespace sinter::inline SINTER_ABI::amp

#ifdef SINTER_DEFINITIONS
#include <sinter/optim/grad_scaler.ipp>
#endif
