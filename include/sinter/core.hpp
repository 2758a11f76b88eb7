#pragma once
// Tensors, the operations of trace/ops, and compile(): what a program without models needs. In a
// header-only program it compiles faster than sinter.hpp.

#include <sinter/config.hpp>

#if __cplusplus >= 202002L  // what config.hpp says is the only error
// clang-format off
#include <sinter/base/dtype.hpp>
#include <sinter/symbol/shape.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/creation/create.hpp>
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
#include <sinter/trace/ops/movement/window.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/sort/search.hpp>
#include <sinter/trace/context/autocast.hpp>
#include <sinter/trace/context/matmul_precision.hpp>
#include <sinter/trace/ops/product/product.hpp>
#include <sinter/trace/ops/product/einsum.hpp>
#include <sinter/trace/ops/reduce/cumulative.hpp>
#include <sinter/trace/ops/sort/sort.hpp>
#include <sinter/trace/interop/print.hpp>
#include <sinter/trace/context/mark_dynamic.hpp>
#include <sinter/trace/context/state.hpp>
#include <sinter/jit/eager/evaluator.hpp>
#include <sinter/jit/compile.hpp>
#include <sinter/jit/lower/process.hpp>
#ifdef SINTER_COMPILED  // where they cost nothing
#include <sinter/jit/parts.hpp>
#endif
// clang-format on
#endif
