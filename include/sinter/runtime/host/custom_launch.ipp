#pragma once

#include <utility>  // std::move

#include <sinter/base/container/vector.hpp>
#include <sinter/graph/custom/host_work.hpp>
#include <sinter/runtime/host/custom_launch.hpp>
#include <sinter/runtime/host/profiler.hpp>
#include <sinter/runtime/interpreter/custom.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

SINTER_INLINE void run_custom(const schedule::Control& control, void* const* pointers,
                              Span<const std::int64_t> symbols) {
  Vector<CustomArgument> all =
      custom_arguments(control.types, [&](Extent symbol) { return evaluate(symbol, symbols); });
  for (std::size_t i = 0; i < all.size(); ++i) all[i].data = pointers[i];
  const auto inputs = static_cast<std::size_t>(control.inputs);
  const Span<const CustomArgument> in(all.data(), inputs);
  const Span<const CustomArgument> out(all.data() + inputs, all.size() - inputs);
  if (!KernelProfiler::is_on()) return call_custom(*control.code, in, out);
  const SharedPtr<const HostKernel>& call = control.code->call;
  KernelRun run{.kernel = control.code->name,
                .lines = {control.code->where},
                .work = call == nullptr ? HostWork::compute : call->work()};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::int64_t bytes = evaluate(numel(control.types[i].shape), symbols) *
                               static_cast<std::int64_t>(info(control.types[i].dtype).size);
    (i < inputs ? run.bytes_read : run.bytes_written) += bytes;
  }
  const std::size_t number = KernelProfiler::process().add_run(std::move(run));
  const std::int64_t start = monotonic_nanoseconds();
  call_custom(*control.code, in, out);
  KernelProfiler::process().add_span({number, 0, start, monotonic_nanoseconds()});
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
