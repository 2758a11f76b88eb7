#pragma once
// A recording without a compiled function around it.

#include <sinter/jit/record/session.hpp>

#include <utility>

#include "jit/support.hpp"

namespace testing {

/// Records `function` of one tensor without a compiled function around it.
template <class Function>
jit::Recording record_one(Tensor& x, const CompileOptions& options, jit::Varying varying,
                          Function function) {
  guard::Leaves real, copies, results;
  guard::collect(x, real);
  const GivenNames names({"argument 0"});
  jit::RecordingSession session(real, names, options, std::move(varying), Where::current());
  Tensor copy = x, result;
  guard::collect(copy, copies);
  {
    const RecorderScope scope(&session.recorder());
    session.begin(copies);
    result = function(copy);
  }
  guard::collect(result, results);
  return session.finish(copies, {"argument 0"}, results, {}, {});
}

}  // namespace testing
