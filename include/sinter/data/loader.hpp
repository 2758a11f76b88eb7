#pragma once
// Loader: the batches of a dataset, made by threads ahead of the loop that takes them.

#include <algorithm>    // std::max, std::min
#include <concepts>     // std::convertible_to
#include <cstddef>      // std::size_t
#include <cstdint>      // std::uint64_t
#include <optional>     // std::optional
#include <type_traits>  // std::remove_cvref_t
#include <utility>      // std::forward
#include <vector>       // std::vector

#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/data/collate.hpp>
#include <sinter/data/prefetch.hpp>
#include <sinter/data/sampler.hpp>
#include <sinter/device/host/scoped_device.hpp>

namespace sinter::inline SINTER_ABI::data {

struct LoaderOptions {
  int batch_size = 1;
  bool shuffle = false;     ///< In another order in each epoch.
  std::uint64_t seed = 0;   ///< Of the orders, and of example_seed().
  bool drop_last = false;   ///< Without the last batch if it is smaller than the others.
  int workers = 1;          ///< Threads that make batches; 0 makes them in the loop itself.
  int pad_to_multiple = 0;  ///< Pads what is shorter than others of its batch: see collate().
  double pad_value = 0;
  int rank = 0;  ///< Of this process, among `ranks` that share the examples: see Sampler.
  int ranks = 1;
  int prefetch = 2;                   ///< Batches made ahead for each worker.
  std::optional<Device> device = {};  ///< Where batches are: that of the loop if left out.
};

/// In operator[] of a dataset that a Loader calls: a number for this example and epoch, whatever
/// the thread. Augmentation that draws from it is the same for any number of workers.
std::uint64_t example_seed();

namespace detail {

/// Sets example_seed() of this thread while it lives.
class ScopedExampleSeed {
 public:
  explicit ScopedExampleSeed(std::uint64_t seed);
  ScopedExampleSeed(const ScopedExampleSeed&) = delete;
  ~ScopedExampleSeed();

 private:
  std::uint64_t outer_;
};

/// Throws ValueError unless the options are possible; gives them the device of the loop.
LoaderOptions checked(LoaderOptions options, Where where);

/// The number of batches of `examples` examples.
std::size_t batch_count(std::size_t examples, const LoaderOptions& options);

/// Called while an exception of the dataset is handled: throws a ValueError with the index, in
/// which the exception is nested.
[[noreturn]] void throw_failed_example(std::size_t index, Where where);

template <class Dataset>
using ExampleOf = std::remove_cvref_t<decltype(std::declval<Dataset&>()[std::size_t{}])>;

template <class Dataset>
concept IsDataset = requires(Dataset& dataset) {
  { dataset.size() } -> std::convertible_to<std::size_t>;
  dataset[std::size_t{}];
};

/// The batches of one epoch.
template <class Dataset>
class Epoch final : public BatchMaker {
 public:
  Epoch(Dataset& dataset, const LoaderOptions& options, std::uint64_t number, Where where)
      : dataset_(dataset),
        options_(checked(options, where)),
        number_(number),
        where_(where),
        order_(Sampler(dataset.size(),
                       {.shuffle = options.shuffle,
                        .seed = options.seed,
                        .rank = options.rank,
                        .ranks = options.ranks,
                        .drop_last = options.drop_last},
                       where)
                   .indices(number)),
        left_(batch_count(order_.size(), options)),
        places_(capacity()),
        prefetch_(*this, left_, static_cast<std::size_t>(options.workers), capacity()) {}

  /// The next batch, or null.
  Batch<ExampleOf<Dataset>>* next() {
    if (left_ == 0) return nullptr;
    const std::size_t left = std::exchange(left_, 0);  // the end, if it throws
    auto& place = places_[prefetch_.next()];
    left_ = left - 1;
    return &*place;
  }

  void make(std::size_t batch, std::size_t place) override {
    const auto size = static_cast<std::size_t>(options_.batch_size);
    const std::size_t first = batch * size, last = std::min(first + size, order_.size());
    std::vector<ExampleOf<Dataset>> examples;
    examples.reserve(last - first);
    for (std::size_t i = first; i < last; ++i) {
      const ScopedExampleSeed seed(seed_of(options_.seed, number_, order_[i]));
      try {
        examples.push_back(dataset_[order_[i]]);
      } catch (...) {
        throw_failed_example(order_[i], where_);
      }
    }
    const CollateOptions padding{static_cast<std::size_t>(options_.pad_to_multiple),
                                 options_.pad_value, *options_.device, where_};
    places_[place] = collate(examples, {order_.data() + first, last - first}, padding);
  }

 private:
  std::size_t capacity() const {
    return static_cast<std::size_t>(std::max(options_.workers, 1) * options_.prefetch + 1);
  }

  Dataset& dataset_;
  LoaderOptions options_;
  std::uint64_t number_;
  Where where_;
  std::vector<std::size_t> order_;
  std::size_t left_;
  std::vector<std::optional<Batch<ExampleOf<Dataset>>>> places_;
  Prefetch prefetch_;  // last: its threads use what is above
};

}  // namespace detail

/// The batches of a dataset: an object with size() and operator[](std::size_t) that gives an
/// example, such as a std::vector of examples. collate() says what examples and batches are.
///
///   data::Loader loader(dataset, {.batch_size = 32, .shuffle = true, .workers = 4});
///   for (auto& [images, labels] : loader) step(model, optimizer, images, labels);
///
/// Each loop is an epoch. Batches and their order are the same for any number of workers. The
/// workers call operator[] at the same time, each for examples of its own; they stop when the loop
/// is left. A dataset that is a variable is kept by reference, and must live as long.
///
/// Throws, at the batch that it concerns, ValueError with the index for an exception of the
/// dataset, which is nested in it; what collate() throws; at begin() ValueError for options that
/// are not possible
template <class Dataset>
class Loader {
  using Data = std::remove_reference_t<Dataset>;
  static_assert(detail::IsDataset<Data>,
                "sinter::data::Loader(dataset, options) requires a dataset with size() and "
                "operator[](std::size_t), which gives an example");

 public:
  using Batch = data::Batch<detail::ExampleOf<Data>>;

  explicit Loader(Dataset&& dataset, LoaderOptions options = {}, Where where = Where::current())
      : dataset_(std::forward<Dataset>(dataset)), options_(options), where_(where) {
    detail::checked(options, where);
  }

  struct End {};
  /// An iterator over an epoch; destroying it ends the epoch.
  class Iterator {
   public:
    using value_type = Batch;
    using difference_type = std::ptrdiff_t;

    explicit Iterator(detail::Epoch<Data>* epoch) : epoch_(epoch), batch_(epoch->next()) {}
    Batch& operator*() const { return *batch_; }
    Batch* operator->() const { return batch_; }
    Iterator& operator++() {
      batch_ = epoch_->next();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& iterator, End) { return iterator.batch_ == nullptr; }

   private:
    sinter::detail::UniquePtr<detail::Epoch<Data>> epoch_;
    Batch* batch_;
  };

  /// Starts the next epoch.
  Iterator begin() {
    return Iterator(new detail::Epoch<Data>(dataset_, options_, epoch_++, where_));
  }
  End end() const { return {}; }

  /// The number of batches of an epoch.
  std::size_t size() const {
    const Sampler sampler(
        dataset_.size(),
        {.rank = options_.rank, .ranks = options_.ranks, .drop_last = options_.drop_last});
    return detail::batch_count(sampler.size(), options_);
  }
  /// The number of the next epoch, from 0 on.
  std::uint64_t epoch() const { return epoch_; }
  /// Sets it, to resume an interrupted training.
  void set_epoch(std::uint64_t epoch) { epoch_ = epoch; }

 private:
  Dataset dataset_;
  LoaderOptions options_;
  Where where_;
  std::uint64_t epoch_ = 0;
};
template <class Dataset>
Loader(Dataset&&, LoaderOptions = {}, Where = Where::current()) -> Loader<Dataset>;

}  // namespace sinter::inline SINTER_ABI::data

#ifdef SINTER_DEFINITIONS
#include <sinter/data/loader.ipp>
#endif
