#pragma once

#include <exception>  // std::throw_with_nested

#include <sinter/base/error.hpp>
#include <sinter/data/loader.hpp>

namespace sinter::inline SINTER_ABI::data {

namespace detail {

inline thread_local std::uint64_t current_example_seed = 0;

SINTER_INLINE ScopedExampleSeed::ScopedExampleSeed(std::uint64_t seed)
    : outer_(std::exchange(current_example_seed, seed)) {}

SINTER_INLINE ScopedExampleSeed::~ScopedExampleSeed() { current_example_seed = outer_; }

SINTER_INLINE LoaderOptions checked(LoaderOptions options, Where where) {
  using sinter::detail::text;
  const bool is_possible = options.batch_size >= 1 && options.workers >= 0 &&
                           options.pad_to_multiple >= 0 && options.prefetch >= 1;
  if (!is_possible) {
    throw ValueError({.op = "data::Loader",
                      .what = "the options are not possible",
                      .facts = {{"batch_size", text(options.batch_size)},
                                {"workers", text(options.workers)},
                                {"pad_to_multiple", text(options.pad_to_multiple)},
                                {"prefetch", text(options.prefetch)}},
                      .rule = "batch_size >= 1, workers >= 0, pad_to_multiple >= 0, prefetch >= 1",
                      .fix = "data::Loader(dataset, {.batch_size = 32, .workers = 2})",
                      .where = where});
  }
  Sampler(0, {.rank = options.rank, .ranks = options.ranks}, where);  // checks these
  if (!options.device) options.device = current_device();
  return options;
}

SINTER_INLINE std::size_t batch_count(std::size_t examples, const LoaderOptions& options) {
  const auto size = static_cast<std::size_t>(options.batch_size);
  return options.drop_last ? examples / size : (examples + size - 1) / size;
}

SINTER_INLINE void throw_failed_example(std::size_t index, Where where) {
  const auto fail = [&](const char* message) {
    std::throw_with_nested(
        ValueError({.op = "data::Loader",
                    .what = "the dataset threw an exception",
                    .facts = {{"index", sinter::detail::text(index)}, {"exception", message}},
                    .rule = "operator[] gives an example for every index",
                    .fix = "mend the example, or leave it out of the dataset",
                    .where = where}));
  };
  try {
    throw;
  } catch (const std::exception& exception) {
    fail(exception.what());
  } catch (...) {
    fail("of a type that is no std::exception");
  }
  throw;  // not reached
}

}  // namespace detail

SINTER_INLINE std::uint64_t example_seed() { return detail::current_example_seed; }

}  // namespace sinter::inline SINTER_ABI::data
