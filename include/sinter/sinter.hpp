#pragma once
// Everything that user code needs, in the order in which data flows.

#include <sinter/config.hpp>

#if __cplusplus >= 202002L  // what config.hpp says is the only error
// clang-format off
#include <sinter/core.hpp>
#include <sinter/trace/interop/dlpack.hpp>
#include <sinter/trace/functional/activation.hpp>
#include <sinter/trace/functional/norm/normalize.hpp>
#include <sinter/trace/functional/norm/channel.hpp>
#include <sinter/trace/functional/distance.hpp>
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
#include <sinter/jit/parts.hpp>
#include <sinter/trace/interop/on_gradient.hpp>
#include <sinter/trace/transform/checkpoint.hpp>
#include <sinter/nn.hpp>
#include <sinter/io.hpp>
#include <sinter/optim.hpp>
#include <sinter/debug/bisect.hpp>
#include <sinter/debug/doctor.hpp>
#include <sinter/debug/observe.hpp>
#include <sinter/debug/profile.hpp>
#include <sinter/debug/report.hpp>
#include <sinter/debug/summary.hpp>
#ifdef SINTER_DEFINITIONS  // programs that use these include them
#include <sinter/backend.hpp>
#include <sinter/debug/progress.hpp>
#include <sinter/debug/writers.hpp>
#include <sinter/layers.hpp>
#endif
// clang-format on
#endif
