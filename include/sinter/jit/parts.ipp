#pragma once

#include <utility>  // std::move

#include <sinter/codegen/cpp/custom.hpp>
#include <sinter/graph/custom/custom_code.hpp>
#include <sinter/jit/call/hints.hpp>
#include <sinter/jit/eager/custom_text.hpp>
#include <sinter/jit/interface/parts.hpp>
#include <sinter/jit/lower/check_numerics.hpp>
#include <sinter/jit/parts.hpp>
#include <sinter/jit/rewrite/resolve_custom.hpp>
#include <sinter/runtime/host/custom_launch.hpp>
#include <sinter/runtime/interpreter/custom.hpp>
#include <sinter/schedule/ir/custom_stages.hpp>
#include <sinter/schedule/lower/custom_kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE void install_custom_stages() {
  has_custom_operations() = true;
  custom_stages() = {
      .resolve = resolve_custom,
      .lower =
          [](const Node& node, Span<const TensorType> types, schedule::Kernel& kernel,
             schedule::Launch& launch) {
            schedule::CustomKernel lowered = schedule::lower_custom(node, types);
            kernel = std::move(lowered.kernel);
            launch = std::move(lowered.launch);
          },
      .function = codegen::custom_function,
      .user_functions = codegen::user_functions,
      .load_or_compile = load_or_compile,
      .run = runtime::run_custom,
      .interpret = runtime::interpreter::interpret_custom,
      .evaluate_text = evaluate_custom_text,
  };
}

}  // namespace detail

SINTER_INLINE bool install_parts() {
  detail::install_custom_stages();
  parts() = {
      .log_hints = log_hints,
      .run_checked = run_checked,
      .interpret_checked = interpret_checked,
  };
  return true;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
