#pragma once
// The type in which a streaming kernel multiplies and accumulates.

#include <sinter/config.hpp>
#include <sinter/schedule/tile/streaming_form.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Sets StreamingForm::dtype. False if dots, accumulators and reductions do not share one type, or
/// if that is neither f32 nor f64.
bool set_common_dtype(StreamingForm& form);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/streaming_dtype.ipp>
#endif
