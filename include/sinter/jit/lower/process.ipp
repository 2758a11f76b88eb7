#pragma once

#include <atomic>  // std::atomic

#include <sinter/base/log.hpp>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/compile/cache/portable_cache.hpp>
#include <sinter/jit/lower/process.hpp>
#include <sinter/jit/lower/program_cache.hpp>
#include <sinter/runtime/host/background.hpp>
#include <sinter/runtime/host/thread_pool.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE void save_cache(const std::string& path, Where where) {
  detail::compiler::save_cache(path, where);
}

SINTER_INLINE detail::CacheContents load_cache(const std::string& path, Where where) {
  detail::CacheContents result =
      detail::compiler::load_cache(path, where);
  if (result.usable == 0 && result.unusable != 0) {
    detail::warn(
        detail::text("load_cache: no kernel of ", path, " runs here: ", result.reasons[0]));
  }
  return result;
}

namespace detail {

SINTER_INLINE std::atomic<void (*)()>& recordings_dropper() {
  static std::atomic<void (*)()> dropper{nullptr};
  return dropper;
}

SINTER_INLINE void on_reset(void (*drop_recordings)()) { recordings_dropper() = drop_recordings; }

}  // namespace detail

SINTER_INLINE void reset() {
  if (void (*const drop)() = detail::recordings_dropper()) drop();
  detail::jit::forget_programs();
  detail::compiler::forget_kernels();
}

SINTER_INLINE ScopedFreshCache::ScopedFreshCache()
    : fresh_(detail::make_unique_ptr<detail::compiler::FreshCache>()) {
  detail::jit::forget_programs();
}

SINTER_INLINE ScopedFreshCache::~ScopedFreshCache() { detail::jit::forget_programs(); }

SINTER_INLINE void wait_for_background() { detail::runtime::wait_for_background(); }

SINTER_INLINE void set_num_threads(int threads, Where where) {
  if (threads < 0) {
    throw ValueError({.op = "set_num_threads",
                      .what = "a number of threads is not negative",
                      .facts = {{"threads", detail::text(threads)}},
                      .rule = "1 to 1024, or 0 for the default",
                      .fix = "set_num_threads(0): SINTER_NUM_THREADS, else the cores",
                      .where = where});
  }
  detail::runtime::set_num_threads(threads);
}

}  // namespace sinter::inline SINTER_ABI
