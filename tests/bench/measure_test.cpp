#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

#include "../../bench/measure.hpp"
#include "../../bench/report.hpp"

TEST_CASE("median: is the middle, and between two the mean") {
  CHECK(bench::median({3, 1, 2}) == 2);
  CHECK(bench::median({4, 1, 3, 2}) == 2.5);
  CHECK(bench::median({7}) == 7);
}

TEST_CASE("compare: quotes the median of the ratios of pairs, not the ratio of medians") {
  const std::vector<double> firsts{1, 10, 100}, seconds{4, 20, 100};
  std::size_t i = 0, j = 0;
  const auto times = bench::compare([&] { return firsts[i++]; }, [&] { return seconds[j++]; }, 3);
  CHECK(times.first == 10);
  CHECK(times.second == 20);
  CHECK(times.ratio == 2);
}

TEST_CASE("compare: interleaves, and alternates who begins") {
  std::string order;
  bench::compare([&] { return order += 'a', 1.0; }, [&] { return order += 'b', 1.0; }, 4);
  CHECK(order == "abbaabba");
}

TEST_CASE("sample_of: repeats what is short until it can be timed") {
  int calls = 0;
  auto sample = bench::sample_of([&calls] { ++calls; }, 1e-4);
  const int before = calls;
  sample();
  CHECK(calls - before > 100);
}

TEST_CASE("fastest_of: is the least of all samples") {
  std::vector<double> samples{3, 2, 5, 4};
  std::size_t i = 0;
  CHECK(bench::fastest_of([&] { return samples[i++]; }, 4) == 2);
  CHECK(i == 4);
}

TEST_CASE("row: is met if the ratio reaches the target, and is written as JSON") {
  bench::Row row{.problem = "softmax",
                 .size = "4096x1024",
                 .threads = 2,
                 .sinter = 0.5e-3,
                 .peer = 1e-3,
                 .peer_name = "by \"hand\"",
                 .ratio = 2,
                 .target = 0.9};
  CHECK(row.met());
  CHECK(bench::to_json(row) ==
        R"({"problem": "softmax", "size": "4096x1024", "peer_name": "by \"hand\"", )"
        R"("unit": "s", "threads": 2, "sinter": 0.0005, "peer": 0.001, "ratio": 2, )"
        R"("target": 0.9, "least": 0, "met": true})");
  row.target = 2.1;
  CHECK_FALSE(row.met());
}

TEST_CASE("amount: is written with three digits in a readable unit") {
  using bench::amount_text;
  CHECK(amount_text(287.4e-9, bench::Unit::seconds) == "287 ns");
  CHECK(amount_text(1.5e-5, bench::Unit::seconds) == "15 us");
  CHECK(amount_text(0.0123, bench::Unit::seconds) == "12.3 ms");
  CHECK(amount_text(2.5, bench::Unit::seconds) == "2.5 s");
  CHECK(amount_text(999.7e-9, bench::Unit::seconds) == "1 us");
  CHECK(amount_text(1536, bench::Unit::bytes) == "1.5 KiB");
}

TEST_CASE("turn: what takes long is warmed up once, the first time") {
  std::string log;
  auto slow = bench::sample_of(
      [&log] {
        const auto start = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(2)) continue;
        log += 'c';
      },
      1e-4);
  slow();
  CHECK(log.size() >= 2);
  log.clear();
  slow();
  CHECK(log == "c");
}
