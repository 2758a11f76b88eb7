#pragma once
// Whether this thread records, and what code that need not know the recorder asks of it.

#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/symbol/shape.hpp>
#include <sinter/trace/value/lazy.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

class Recorder;
struct SizeOracle;

/// The recorder of this thread; null outside of recordings.
Recorder*& current_recorder();

}  // namespace detail

/// True while a function is being recorded. What the host does then, it does once.
inline bool is_recording() { return detail::current_recorder() != nullptr; }

namespace detail {

/// Makes `recorder` that of this thread, null for none, for the life of this object.
class RecorderScope {
 public:
  explicit RecorderScope(Recorder* recorder);
  ~RecorderScope();
  RecorderScope(const RecorderScope&) = delete;
  RecorderScope& operator=(const RecorderScope&) = delete;

 private:
  Recorder* outer_;
  SizeOracle* outer_oracle_;
  RecordingId outer_recording_;
};

/// The same text for the life of the process: nodes keep the names of modules by address.
const std::string* intern(const std::string& text);

/// True if the two are equal. In a recording symbols are compared by the sizes of this call, and
/// the answer is assumed from then on.
bool equal_sizes(Extent a, Extent b, Where where);

/// True if `extent` is less than `bound`, asked in the same way.
bool is_less(Extent extent, std::int64_t bound, Where where);

/// True if `extent` is `number`, asked in the same way. Whatever is done otherwise for 0 or for 1,
/// and not only faster, asks: same() is false for a size that a recording has as a symbol.
bool is_size(Extent extent, std::int64_t number, Where where);

/// Recorder::fix_one of the recording in progress; false outside of one.
bool fix_one(Extent extent, Where where);

/// True if `extent` is computed, can be no more than 1, as that of a slice of one element, and is
/// 1, asked in the same way. Asked before anything else, it leaves the sizes of dimensions free.
bool is_computed_one(Extent extent, Where where);

/// `shape` with the numbers of this call: as errors and eager code see it.
Shape concrete(const Shape& shape);

/// Recorder::name_module.
void name_module(Recorder& recorder, const void* address, const void* type,
                 const std::string& name);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/core/recorder.hpp>
#endif
