#pragma once
// Everything that user code needs, in the order in which data flows.

#include <sinter/config.hpp>

#if __cplusplus >= 202002L  // what config.hpp says is the only error
// clang-format off
#include <sinter/base/dtype.hpp>
#include <sinter/symbol/shape.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/interop/dlpack.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/movement/concatenate.hpp>
#include <sinter/trace/ops/movement/diagonal.hpp>
#include <sinter/trace/ops/movement/pad.hpp>
#include <sinter/trace/ops/movement/rearrange.hpp>
#include <sinter/trace/ops/movement/repeat.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/sort/search.hpp>
#include <sinter/trace/context/autocast.hpp>
#include <sinter/trace/context/matmul_precision.hpp>
#include <sinter/trace/ops/product/product.hpp>
#include <sinter/trace/ops/product/einsum.hpp>
#include <sinter/trace/ops/reduce/cumulative.hpp>
#include <sinter/trace/ops/sort/sort.hpp>
#include <sinter/trace/functional/activation.hpp>
#include <sinter/trace/functional/norm/normalize.hpp>
#include <sinter/trace/functional/norm/channel.hpp>
#include <sinter/trace/functional/distance.hpp>
#include <sinter/trace/ops/movement/window.hpp>
#include <sinter/trace/functional/convolution/convolution.hpp>
#include <sinter/trace/functional/convolution/grouped.hpp>
#include <sinter/trace/functional/convolution/ungrouped.hpp>
#include <sinter/trace/functional/convolution/transposed.hpp>
#include <sinter/trace/functional/pool/pool.hpp>
#include <sinter/trace/functional/pool/adaptive.hpp>
#include <sinter/trace/functional/pool/interpolate.hpp>
#include <sinter/trace/functional/feature_dropout.hpp>
#include <sinter/trace/functional/attention.hpp>
#include <sinter/trace/functional/loss/loss.hpp>
#include <sinter/trace/functional/loss/probability.hpp>
#include <sinter/trace/functional/loss/margin.hpp>
#include <sinter/typed.hpp>
#include <sinter/trace/interop/print.hpp>
#include <sinter/trace/context/mark_dynamic.hpp>
#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/parameter.hpp>
#include <sinter/trace/transform/gradients.hpp>
#include <sinter/trace/interop/host.hpp>
#include <sinter/trace/transform/grad.hpp>
#include <sinter/trace/transform/control.hpp>
#include <sinter/trace/transform/vmap.hpp>
#include <sinter/trace/transform/jacobian.hpp>
#include <sinter/trace/transform/custom_gradient.hpp>
#include <sinter/trace/interop/custom_op.hpp>
#include <sinter/trace/transform/checkpoint.hpp>
#include <sinter/nn.hpp>
#include <sinter/io.hpp>
#include <sinter/optim.hpp>
#include <sinter/trace/context/state.hpp>
#include <sinter/jit/eager/evaluator.hpp>
#include <sinter/jit/compile.hpp>
#include <sinter/jit/lower/process.hpp>
#include <sinter/debug/profile.hpp>
// clang-format on
#endif
