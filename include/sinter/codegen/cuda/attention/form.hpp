#pragma once
// Which row-tiled kernels a GPU runs in streaming form (online softmax), and in which types.

#include <sinter/base/container/optional.hpp>
#include <sinter/codegen/cuda/nest/options.hpp>
#include <sinter/codegen/text/layout.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/tile/streaming_form.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

using schedule::RunningReduction;
using schedule::StreamingAccumulator;
using schedule::StreamingDot;
using schedule::StreamingForm;

/// The streaming form of a kernel, and how its products are computed.
struct CudaStreamingForm {
  StreamingForm form{};
  bool mma = false;  ///< Products on tensor cores, else on CUDA cores.
  DType dtype{};     ///< Type of the operands.
};

/// The streaming form of `kernel`, if it has one. None if `strict`, where sums keep their order.
/// With `tf32`, tensor cores multiply f32 as well.
Optional<CudaStreamingForm> cuda_streaming_form(const Kernel& kernel, const CudaOptions& options);

/// Type in which scores and output sums are accumulated.
inline DType sum_dtype(const CudaStreamingForm& how) { return how.mma ? DType(f32) : how.dtype; }

namespace detail {

/// True if computing a score needs few registers: few instructions, no long functions, and no loads
/// indexed by row and step.
bool needs_few_registers(const StreamingForm& form);

/// True if computing a score needs many registers: random bits, long functions, fault reports.
bool needs_many_registers(const StreamingForm& form);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/attention/form.ipp>
#endif
