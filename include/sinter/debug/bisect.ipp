#pragma once

#include <cstdio>     // std::fputs
#include <exception>  // std::exception
#include <utility>    // std::move

#include <sinter/base/file.hpp>
#include <sinter/debug/bisect.hpp>
#include <sinter/debug/bisector.hpp>
#include <sinter/debug/fault/child.hpp>
#include <sinter/debug/fault/graph_source.hpp>
#include <sinter/debug/fault/reduce.hpp>
#include <sinter/debug/fault/replay.hpp>
#include <sinter/jit/lower/check_numerics.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE ScopedNumericsCheck::ScopedNumericsCheck() { ++detail::jit::numerics_checks(); }
SINTER_INLINE ScopedNumericsCheck::~ScopedNumericsCheck() { --detail::jit::numerics_checks(); }

SINTER_INLINE std::string to_string(const Bisection& bisection) {
  using detail::text;
  std::string result;
  if (!bisection.found) {
    result = text("nothing wrong was found; the largest difference is ",
                  static_cast<float>(bisection.largest), "\n");
  } else {
    result = text("stage: ", bisection.stage, "\n  culprit: ", bisection.culprit, "\n");
    for (const Where& line : bisection.lines) result += text("  line: ", to_string(line), "\n");
    result += text("  difference: ", bisection.difference, "\n  compared: ", bisection.compared,
                   "\n  workaround: ", bisection.workaround, "\n");
  }
  for (const std::string& step : bisection.steps) result += text("  tried: ", step, "\n");
  return result;
}

SINTER_INLINE void print(const Bisection& bisection) {
  std::fputs(to_string(bisection).c_str(), stdout);
}

namespace detail::debug {

SINTER_INLINE Bisection bisect_call(const CompiledCall& call, const BisectOptions& options) {
  return Bisector(call, options).run();
}

namespace detail {

// Whether a part of a problem still fails in the same way. It may crash where that is possible.
SINTER_INLINE bool still_fails(const Problem& part, FailureKind fault, const std::string& before) {
  const bool may_compile = fault == FailureKind::kernels || fault == FailureKind::in_place ||
                           fault == FailureKind::error || fault == FailureKind::crash;
  const bool forks = may_compile && part.options.device.is_cpu();
  const auto run = [&] {
    try {
      return failure_of(part, fault);
    } catch (const std::exception&) {
      return std::string();
    }
  };
  const std::string now = forks ? in_child(run) : run();
  if (now.empty() || is_crash(now) != (fault == FailureKind::crash)) return false;
  if (fault != FailureKind::error) return true;
  return first_line(now).substr(0, 40) == first_line(before).substr(0, 40);
}

}  // namespace detail

SINTER_INLINE void minify_call(const CompiledCall& call, const std::string& path) {
  const Where where = call.state.where();
  disk::OutputFile file({.op = "minify", .path = path, .where = where});
  const BisectOptions options;
  Bisector bisector(call, options);
  const Bisection found = bisector.run();
  if (!found.found || bisector.fault() == FailureKind::none) {
    throw ValueError(
        {.op = "minify",
         .what = found.found ? "the fault is not one of a graph" : "nothing fails in this call",
         .facts = {{"stage", found.found ? found.stage : "none"}, {"culprit", found.culprit}},
         .rule = "a compiled program differs from the interpreter, gives NaN, throws "
                 "or crashes",
         .fix = "bisect(f, arguments...) says what was tried",
         .where = where});
  }
  const FailureKind fault = bisector.fault();
  const Problem small = reduced(bisector.problem(), [&](const Problem& part) {
    return detail::still_fails(part, fault, found.difference);
  });
  const std::string about = text("Reduced by sinter::minify of the function compiled at ",
                                 sinter::to_string(where), ".\n", sinter::to_string(found),
                                 "Build: g++ -std=c++20 -I include THIS.cpp -ldl -pthread");
  file.write(program_text(small, fault, about));
  file.commit();
}

}  // namespace detail::debug

}  // namespace sinter::inline SINTER_ABI
