#pragma once
// Records a function without compile().

#include <sinter/jit/record/tracer.hpp>

#include <utility>

#include "jit/support.hpp"

namespace testing {

/// Records `function` of one tensor without compile().
template <class Function>
jit::Recording record_function(Tensor& x, const CompileOptions& options, jit::Varying varying,
                               Function function) {
  guard::Leaves real, copies, results;
  guard::collect(x, real);
  const GivenNames names({"argument 0"});
  jit::Tracer tracer(real, names, options, std::move(varying), Where::current());
  Tensor copy = x, result;
  guard::collect(copy, copies);
  {
    const RecorderScope scope(&tracer.recorder());
    tracer.begin(copies);
    result = function(copy);
  }
  guard::collect(result, results);
  return tracer.make_recording(copies, {"argument 0"}, results, {}, {});
}

}  // namespace testing
