#pragma once
// Which row tiles a GPU streams (online softmax), and what its tensor cores multiply then.

#include <optional>  // std::optional

#include <sinter/codegen/text/layout.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/tile/streaming.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

using schedule::StreamDot;
using schedule::StreamForm;
using schedule::StreamSum;
using schedule::StreamTotal;

/// How a kernel is streamed.
struct CudaStreamForm {
  StreamForm form{};
  bool mma = false;  ///< By tensor cores, of numbers of `dtype`; else by threads.
  DType dtype{};
};

/// How `kernel` is streamed, if it is. Under `strict`, sums keep their order, so that it is not;
/// with `tf32`, tensor cores multiply f32 as well.
std::optional<CudaStreamForm> cuda_stream_form(const Kernel& kernel, bool strict,
                                               bool tf32 = false);

/// As which scores and sums are added up.
inline DType sum_dtype(const CudaStreamForm& how) { return how.mma ? DType(f32) : how.dtype; }

namespace detail {

/// An operand before it is made f32, in which products of 16-bit numbers are exact.
ValueId before_f32(const Kernel& code, ValueId id);

/// Whether scores take few registers while they are computed: none for addresses of their own.
bool is_short(const StreamForm& form);

/// Whether they take many: random bits, functions of many terms, calls that report faults.
bool is_wide(const StreamForm& form);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/attention/form.ipp>
#endif
