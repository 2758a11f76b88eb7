#pragma once
// What the sanitizers that watch a test do not allow.

namespace sinter_test {

/// ThreadSanitizer ends a child of many threads that starts another thread.
#ifdef __SANITIZE_THREAD__
inline constexpr bool is_watched_for_races = true;
#else
inline constexpr bool is_watched_for_races = false;
#endif

/// LeakSanitizer stops the threads of the parent in a child that exits, and there are none.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool is_watched_for_leaks = true;
#else
inline constexpr bool is_watched_for_leaks = false;
#endif

}  // namespace sinter_test
