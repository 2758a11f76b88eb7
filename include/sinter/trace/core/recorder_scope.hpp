#pragma once
// Access to the recorder of this thread, for code that need not know its class.

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

/// True while a function is being recorded. Host code then runs once, not on every call.
inline bool is_recording() { return detail::current_recorder() != nullptr; }

namespace detail {

/// Installs `recorder` (or null) as that of this thread for the life of this object.
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

/// Interns `text` for the life of the process: nodes refer to module names by address.
const std::string* intern(const std::string& text);

/// True if the two are equal. In a recording, symbols are compared by the sizes of this call, and
/// the recording assumes the answer.
bool equal_sizes(Extent a, Extent b, Where where);

/// True if `extent` is less than `bound`; assumed in the same way.
bool is_less(Extent extent, std::int64_t bound, Where where);

/// True if `extent` is `number`; assumed in the same way. Code whose result, and not only its
/// speed, differs for 0 or 1 must use this: same() is false for a symbolic size.
bool is_size(Extent extent, std::int64_t number, Where where);

/// Recorder::fix_one of the recording in progress; false outside of one.
bool fix_one(Extent extent, Where where);

/// True if `extent` is a computed extent of at most 1, as that of a one-element slice, and is 1;
/// assumed in the same way. Asking this first leaves the sizes of dimensions free.
bool is_computed_one(Extent extent, Where where);

/// `shape` with the sizes of this call, for errors and eager code.
Shape concrete(const Shape& shape);

/// Recorder::name_module.
void name_module(Recorder& recorder, const void* address, const void* type,
                 const std::string& name);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/core/recorder.hpp>
#endif
