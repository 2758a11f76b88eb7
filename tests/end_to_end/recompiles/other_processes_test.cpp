// test: moved
// Other processes, with a disk cache that is private, shared, damaged, read-only or missing. Each
// is this program, running the test case "child".

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "jit/support.hpp"
#include "moved.hpp"
#include "skip.hpp"

using namespace testing;

namespace {

namespace fs = std::filesystem;

constexpr const char* no_compiler = "SINTER_CXX= PATH=/nonexistent";

struct Net {
  nn::Linear in{12, 24}, out{24, 5};
  SINTER_MODULE(Net, in, out)
  Tensor forward(const Tensor& x) const { return softmax(out(gelu(in(x))), -1); }
};

Tensor train(Net& model, optim::SGD& optimizer, const Tensor& x) {
  auto [loss, gradients] = value_and_grad(model, [&] { return mean(square(model(x))); });
  optimizer.step(model, gradients);
  return loss;
}

// The report of a child: exact results, and the number of compilations.
struct Findings {
  std::string results{};
  long compiler_runs = -1, kernels = 0;
  std::string said{};  ///< On standard error.
  int status = -1;     ///< The exit status.
};

std::string content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

fs::path new_directory(const std::string& name) {
  const fs::path directory = fs::path(sinter_test::directory()) / "other_processes" / name;
  if (fs::exists(directory)) {
    fs::permissions(directory, fs::perms::owner_all);
    fs::remove_all(directory);
  }
  fs::create_directories(directory);
  fs::permissions(directory, fs::perms::owner_all);
  return directory;
}

// The command that runs this program again as a child, which writes to `output`.
std::string command(const fs::path& cache, const fs::path& output, const std::string& variables) {
  return text("SINTER_CACHE_DIR='", cache.string(), "' SINTER_CHILD='", output.string(), "' ",
              variables, " '", fs::read_symlink("/proc/self/exe").string(),
              "' --test-case='other processes: child' --no-skip > '", output.string(), ".out' 2> '",
              output.string(), ".err'");
}

Findings read(const fs::path& output, int status) {
  Findings report{.said = content(output.string() + ".err"), .status = status};
  std::ifstream stream(output);
  stream >> report.compiler_runs >> report.kernels >> report.results;
  return report;
}

Findings run(const fs::path& cache, const std::string& variables = "", const char* prefix = "") {
  static int number = 0;
  const fs::path output = cache.parent_path() / text(cache.filename().string(), ".", number++);
  const int status = std::system((prefix + command(cache, output, variables)).c_str());
  return read(output, status);
}

// A cache that a first process filled, or a copy of it, and that process's report.
struct Filled {
  fs::path cache;
  Findings first;
};

Filled filled(const std::string& name) {
  static const Filled& whole = *new Filled([] {
    const fs::path cache = new_directory("filled");
    return Filled{cache, run(cache)};
  }());
  REQUIRE(whole.first.status == 0);
  REQUIRE(whole.first.compiler_runs > 0);
  const fs::path cache = new_directory(name);
  fs::copy(whole.cache, cache, fs::copy_options::recursive);
  return {cache, whole.first};
}

template <class Change>
void for_each_entry(const fs::path& cache, Change change) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::recursive_directory_iterator(cache)) {
    if (entry.is_regular_file()) entries.push_back(entry.path());
  }
  REQUIRE(!entries.empty());
  for (const fs::path& entry : entries) change(entry);
}

std::vector<float> numbers_in(const std::string& results) {
  std::vector<float> result;
  std::istringstream stream(results);
  for (std::string number; std::getline(stream, number, ';');) result.push_back(std::stof(number));
  return result;
}

void check_right(const Findings& report, const Findings& expected) {
  INFO(report.said);
  CHECK(report.status == 0);
  CHECK(report.results == expected.results);
  CHECK(report.kernels == expected.kernels);
}

}  // namespace

TEST_CASE("other processes: child" * doctest::skip()) {
  const char* const output = std::getenv("SINTER_CHILD");
  if (output == nullptr) SINTER_SKIP("this case is run by others, in processes of their own");
  random::manual_seed(9);
  Net model;
  optim::SGD optimizer{.learning_rate = 0.1f};
  const auto use = compile(model);
  const auto step = compile(train);
  std::string numbers;  // nine digits identify a float
  for (const int rows : {6, 3, 6}) {
    Tensor x = randn({rows, 12});
    mark_dynamic(x, 0);
    for (const Tensor& result : {use(x), step(model, optimizer, x)}) {
      for (const float number : result.to_vector<float>()) {
        char digits[32];
        std::snprintf(digits, sizeof(digits), "%.9g;", static_cast<double>(number));
        numbers += digits;
      }
    }
  }
  std::ofstream(output) << use.stats().compiler_runs + step.stats().compiler_runs << ' '
                        << use.stats().kernels + step.stats().kernels << ' ' << numbers;
}

TEST_CASE("other processes: a second process starts no compiler, and computes the same bits") {
  const auto [cache, first] = filled("second");
  const Findings second = run(cache);
  CHECK(second.compiler_runs == 0);
  check_right(second, first);
}

TEST_CASE("other processes: a second process executes no other program") {
  if (std::system("strace -V > /dev/null 2>&1") != 0) SINTER_SKIP("no strace");
  const auto [cache, first] = filled("strace");
  const std::string trace = (cache.parent_path() / "strace.log").string();
  const fs::path output = cache.parent_path() / "strace.output";
  const std::string no_leak_check = "ASAN_OPTIONS=detect_leaks=0";  // it needs ptrace for itself
  const std::string line = text("strace -f -e trace=execve -o '", trace, "' sh -c \"exec env ",
                                command(cache, output, no_leak_check), "\"");
  const Findings second = read(output, std::system(line.c_str()));
  if (second.compiler_runs < 0) SINTER_SKIP("strace may not trace here");
  check_right(second, first);
  const std::string log = content(trace);
  for (const char* compiler : {"g++", "clang++", "c++", "cc1plus", "/as\", [", "/ld\", ["}) {
    INFO(std::string(compiler));
    CHECK_FALSE(contains(log, compiler));
  }
}

TEST_CASE("other processes: entries of a truncated cache are recompiled and replaced") {
  const auto [cache, first] = filled("truncated");
  for_each_entry(cache,
                 [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) / 2); });
  const Findings second = run(cache), third = run(cache);
  check_right(second, first);
  CHECK(second.compiler_runs > 0);
  check_right(third, first);
  CHECK(third.compiler_runs == 0);
}

TEST_CASE("other processes: flipped bits are detected") {
  const auto [cache, first] = filled("flipped");
  for_each_entry(cache, [](const fs::path& file) {
    std::string bytes = content(file);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
    fs::remove(file);  // entries of several kernels are links to one file
    std::ofstream(file, std::ios::binary) << bytes;
  });
  const Findings second = run(cache);
  check_right(second, first);
  CHECK(second.compiler_runs > 0);
}

TEST_CASE("other processes: a process killed while compiling leaves a usable cache") {
  const fs::path cache = new_directory("killed");
  for (const char* seconds : {"0.15", "0.3", "0.45", "0.6"}) {
    run(cache, "", text("timeout -s KILL ", seconds, " env ").c_str());
  }
  const Findings whole = run(cache), again = run(cache);
  CHECK(whole.status == 0);
  check_right(again, whole);
  CHECK(again.compiler_runs == 0);
}

TEST_CASE("other processes: two concurrent processes get the same results") {
  const fs::path cache = new_directory("both");
  const fs::path a = cache.parent_path() / "both.a", b = cache.parent_path() / "both.b";
  const int status = std::system(
      text("( ", command(cache, a, ""), " ) & ", command(cache, b, ""), " ; wait").c_str());
  check_right(read(a, status), read(b, status));
  const Findings third = run(cache);
  check_right(third, read(b, status));
  CHECK(third.compiler_runs == 0);
}

TEST_CASE("other processes: a read-only directory gives one message") {
  const fs::path cache = new_directory("file");
  std::ofstream(cache / "not_a_directory") << "x";
  const Findings good = filled("good").first;
  const Findings report = run(cache / "not_a_directory");
  check_right(report, good);
  CHECK(report.compiler_runs > 0);
  CHECK(count(report.said, "sinter: ") == 1);
}

TEST_CASE("other processes: without a compiler, cached kernels are used, without a message") {
  const auto [cache, first] = filled("compiler");
  const Findings second = run(cache, no_compiler);
  check_right(second, first);
  CHECK(second.compiler_runs == 0);
  CHECK(second.said.empty());
}

TEST_CASE(
    "other processes: with neither compiler nor cached kernels, results are correct, with one "
    "message" *
    doctest::test_suite("host: its eager backend")) {
  const Findings good = filled("good").first;
  const fs::path cache = new_directory("neither");
  const Findings report = run(cache, no_compiler);
  INFO(report.said);
  CHECK(report.status == 0);
  CHECK(report.compiler_runs == 0);
  CHECK(report.kernels == 0);
  const std::vector<float> found = numbers_in(report.results);
  CHECK(near(vector(found), numbers(vector(numbers_in(good.results))), 1e-5));
  CHECK(count(report.said, "sinter: ") == 1);
  CHECK(contains(report.said, "no C++ compiler"));
  const Findings later = run(cache);  // once there is a compiler
  check_right(later, good);
  CHECK(later.compiler_runs > 0);
}
