#pragma once
// Everything that user code needs, in the order in which data flows.

// clang-format off
#include <sinter/base/dtype.hpp>
#include <sinter/symbol/shape.hpp>
#include <sinter/trace/tensor.hpp>
#include <sinter/trace/create.hpp>
#include <sinter/trace/random.hpp>
#include <sinter/trace/elementwise.hpp>
#include <sinter/trace/operators.hpp>
#include <sinter/trace/reduce.hpp>
#include <sinter/trace/movement.hpp>
#include <sinter/trace/index.hpp>
#include <sinter/trace/autocast.hpp>
#include <sinter/trace/product.hpp>
#include <sinter/trace/activation.hpp>
#include <sinter/trace/normalize.hpp>
#include <sinter/trace/loss.hpp>
#include <sinter/trace/typed_elementwise.hpp>
#include <sinter/trace/typed_product.hpp>
#include <sinter/trace/typed_reduce.hpp>
#include <sinter/trace/print.hpp>
#include <sinter/trace/mark_dynamic.hpp>
#include <sinter/trace/module.hpp>
#include <sinter/trace/parameter.hpp>
#include <sinter/trace/host.hpp>
#include <sinter/trace/transform.hpp>
#include <sinter/trace/control.hpp>
#include <sinter/nn/activation.hpp>
#include <sinter/nn/dropout.hpp>
#include <sinter/nn/embedding.hpp>
#include <sinter/nn/flatten.hpp>
#include <sinter/nn/initialize.hpp>
#include <sinter/nn/linear.hpp>
#include <sinter/nn/mode.hpp>
#include <sinter/nn/norm.hpp>
#include <sinter/nn/sequential.hpp>
#include <sinter/io/checkpoint.hpp>
#include <sinter/io/npz.hpp>
#include <sinter/optim/adam.hpp>
#include <sinter/optim/sgd.hpp>
#include <sinter/optim/update.hpp>
#include <sinter/trace/state.hpp>
#include <sinter/jit/evaluator.hpp>
#include <sinter/jit/compile.hpp>
#include <sinter/jit/process.hpp>
#ifdef SINTER_IMPLEMENTATION  // what nothing above needs, for the one source that defines all
#include <sinter/codegen/cuda.hpp>
#endif
// clang-format on
