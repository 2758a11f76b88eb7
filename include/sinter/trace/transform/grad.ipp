#pragma once

#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/transform/grad.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE void throw_no_argument(int argument, int count, Where where) {
  throw GradientError({.op = "grad",
                       .what = text("argument ", argument, " is no tensor of the call"),
                       .facts = {{"argument", text(argument)}, {"arguments", text(count)}},
                       .rule = "arguments are counted from 0, and those that are named are tensors",
                       .fix = "leave the number out for the first argument",
                       .where = where,
                       .see = "gradients"});
}

}  // namespace sinter::inline SINTER_ABI::detail
