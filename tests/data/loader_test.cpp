#include "../trace/testing.hpp"

#include <sinter/data/loader.hpp>

#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>

using namespace testing;
using data::Loader;

namespace {

struct Squares {
  std::size_t count = 23;
  std::size_t failing = 1000;

  std::size_t size() const { return count; }
  std::pair<Tensor, int> operator[](std::size_t index) const {
    if (index == failing) throw std::out_of_range("no square");
    if (index % 5 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
    const auto x = static_cast<float>(index);
    return {vector({x, x * x}), static_cast<int>(index)};
  }
};

// What a loop over a loader sees: the labels of each batch.
template <class L>
std::vector<Numbers> labels(L& loader) {
  std::vector<Numbers> result;
  for (auto& [square, label] : loader) {
    result.push_back(numbers(label));
    CHECK(square.size(0) == label.size(0));
  }
  return result;
}

Numbers joined(const std::vector<Numbers>& batches) {
  Numbers result;
  for (const Numbers& batch : batches) result.insert(result.end(), batch.begin(), batch.end());
  return result;
}

}  // namespace

TEST_CASE("Loader: batches in order, the last one smaller or left out") {
  Loader loader(Squares(), {.batch_size = 10});
  CHECK(loader.size() == 3);
  const std::vector<Numbers> batches = labels(loader);
  REQUIRE(batches.size() == 3);
  CHECK(batches[1] == Numbers{10, 11, 12, 13, 14, 15, 16, 17, 18, 19});
  CHECK(batches[2] == Numbers{20, 21, 22});
  Loader whole(Squares(), {.batch_size = 10, .drop_last = true});
  CHECK(whole.size() == 2);
  CHECK(labels(whole).size() == 2);
  for (auto& [square, label] : whole)
    CHECK(numbers(square)[3] == numbers(square)[2] * numbers(square)[2]);
}

TEST_CASE("Loader: the same batches whatever the number of workers; other ones in each epoch") {
  std::vector<std::vector<Numbers>> first;
  for (const int workers : {0, 1, 4}) {
    Loader loader(Squares(), {.batch_size = 4, .shuffle = true, .seed = 5, .workers = workers});
    for (int epoch = 0; epoch < 3; ++epoch) {
      CHECK(loader.epoch() == static_cast<std::uint64_t>(epoch));
      const std::vector<Numbers> batches = labels(loader);
      if (workers == 0) first.push_back(batches);
      CHECK(batches == first[static_cast<std::size_t>(epoch)]);
      const Numbers all_of_them = joined(batches);
      CHECK(std::set<double>(all_of_them.begin(), all_of_them.end()).size() == 23);
    }
    loader.set_epoch(1);
    CHECK(labels(loader) == first[1]);
  }
  CHECK(first[0] != first[1]);
}

TEST_CASE("Loader: examples are disjoint and complete over ranks") {
  std::multiset<double> seen;
  for (int rank = 0; rank < 3; ++rank) {
    Loader loader(Squares(), {.batch_size = 4, .shuffle = true, .rank = rank, .ranks = 3});
    CHECK(loader.size() == 2);
    for (const double label : joined(labels(loader))) seen.insert(label);
  }
  CHECK(seen.size() == 23);
  CHECK(std::set<double>(seen.begin(), seen.end()).size() == 23);
  Loader even(Squares(), {.batch_size = 7, .drop_last = true, .rank = 2, .ranks = 3});
  CHECK(joined(labels(even)).size() == 7);
}

TEST_CASE("Loader: an exception of the dataset arrives at its batch, with the index") {
  for (const int workers : {0, 3}) {
    Loader loader(Squares{.failing = 17}, {.batch_size = 4, .workers = workers});
    int batches = 0;
    std::string message, nested;
    try {
      for (const auto& [square, label] : loader) batches += static_cast<int>(label.ndim());
    } catch (const ValueError& error) {
      message = error.what();
      try {
        std::rethrow_if_nested(error);
      } catch (const std::out_of_range& original) {
        nested = original.what();
      }
    }
    CHECK(batches == 4);
    CHECK(message.find("index") != std::string::npos);
    CHECK(message.find("17") != std::string::npos);
    CHECK(message.find("no square") != std::string::npos);
    CHECK(message.find("loader_test.cpp") != std::string::npos);
    CHECK(nested == "no square");
  }
}

TEST_CASE("Loader: a loop that is left ends the workers") {
  struct Counting {
    std::atomic<int>* running;
    std::size_t size() const { return 1000; }
    Tensor operator[](std::size_t index) const {
      ++*running;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      --*running;
      return full({3}, static_cast<float>(index));
    }
  };
  std::atomic<int> running{0};
  Loader loader(Counting{&running}, {.batch_size = 3, .workers = 3});
  for (int loop = 0; loop < 20; ++loop) {
    int taken = 0;
    for (const Tensor& x : loader) {
      CHECK(near(x[0], {taken * 3.0, taken * 3.0, taken * 3.0}, 0));
      if (++taken == 2) break;
      CHECK(numbers(x).size() == 9);
    }
    CHECK(running == 0);
  }
}

TEST_CASE("Loader: a dataset that is a variable is kept by reference") {
  std::vector<Tensor> list(4, ones({2}));
  Loader loader(list, {.batch_size = 3});
  CHECK(loader.size() == 2);
  list.resize(7, zeros({2}));
  CHECK(loader.size() == 3);
  int examples = 0;
  for (const Tensor& x : loader) examples += static_cast<int>(x.size(0).value());
  CHECK(examples == 7);
  const std::vector<int> empty;
  Loader nothing(empty, {.batch_size = 3});
  for (const Tensor& x : nothing) FAIL(to_string(x));
  CHECK(nothing.size() == 0);
}

TEST_CASE("Loader: pads sequences, and gives examples seeds of their own") {
  struct Sequences {
    std::size_t size() const { return 12; }
    std::pair<Tensor, std::string> operator[](std::size_t index) const {
      return {zeros({1 + index % 5}, i64), std::to_string(data::example_seed())};
    }
  };
  std::vector<std::vector<std::string>> seeds(2);
  for (const int workers : {0, 2}) {
    Loader loader(Sequences(), {.batch_size = 4, .workers = workers, .pad_to_multiple = 8});
    for (const auto& [tokens, seed] : loader) {
      CHECK(to_string(tokens) == "i64[4, 8]");
      auto& list = seeds[workers == 0 ? 0 : 1];
      list.insert(list.end(), seed.begin(), seed.end());
    }
  }
  CHECK(seeds[0] == seeds[1]);
  CHECK(std::set<std::string>(seeds[0].begin(), seeds[0].end()).size() == 12);
}

TEST_CASE("Loader: many epochs with many workers") {
  Loader loader(Squares{.count = 64}, {.batch_size = 2, .shuffle = true, .workers = 8});
  for (int epoch = 0; epoch < 30; ++epoch) {
    const Numbers all_of_them = joined(labels(loader));
    CHECK(std::set<double>(all_of_them.begin(), all_of_them.end()).size() == 64);
  }
}

TEST_CASE("Loader: options that are not possible name the values and the way out") {
  const auto make = [](data::LoaderOptions options, Where where) {
    Loader(Squares(), options, where);
  };
  MISTAKE(ValueError, make({.batch_size = 0}, Where::current()), "data::Loader: ", "batch_size",
          "batch_size >= 1");
  MISTAKE(ValueError, make({.workers = -1}, Where::current()), "workers");
  MISTAKE(ValueError, make({.rank = 1}, Where::current()), "0 <= rank < ranks");
}
