// test: deep cost=90
// Pages of reports, used in a browser.

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <sinter/models/bert.hpp>

#include "../examples/digits/model.hpp"
#include "../examples/digits/transformer.hpp"
#include "debug/report/claims.hpp"
#include "jit/support.hpp"
#include "skip.hpp"

using namespace testing;

namespace {

namespace fs = std::filesystem;

// The output of a command.
std::string output_of(const std::string& command) {
  std::string result;
  std::FILE* const pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return result;
  char buffer[4096];
  for (std::size_t count = 1; count != 0;) {
    count = std::fread(buffer, 1, sizeof(buffer), pipe);
    result.append(buffer, count);
  }
  pclose(pipe);
  return result;
}

std::string browser() {
  for (const char* const name : {"chromium", "chromium-browser", "google-chrome"}) {
    if (!output_of(std::string("command -v ") + name).empty()) return name;
  }
  return "";
}

std::string content(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

const fs::path folder = fs::path(SINTER_TEST_DIR) / "browser_test";

std::string run_browser(const std::string& flags, const std::string& address) {
  const fs::path profile = folder / "profile";
  return output_of(
      browser() + " --headless --no-sandbox --disable-gpu --user-data-dir=" + profile.string() +
      " --window-size=1400,900 --virtual-time-budget=60000 " + flags + " 'file://" + address + "'");
}

void replace(std::string& text, const std::string& part, const std::string& with) {
  text.replace(text.rfind(part), part.size(), with);
}

// What page_checks.js finds out about a page: "40 checks, 0 failed" in the first line. `claims` are
// those of claims_of().
std::string checked(const fs::path& page, const std::string& claims) {
  std::string text = content(page);
  const std::string script =
      content(fs::path(SINTER_SOURCE_DIR) / "tests/debug/report/page_checks.js");
  replace(text, "<head>",
          "<head><script>window.problems = [];\nwindow.claims = " + claims +
              ";\n"
              "window.onerror = message => problems.push(message);</script>");
  replace(text, "</body>", "<script>" + script + "</script></body>");
  const fs::path with_checks = folder / "checks.html";
  std::ofstream(with_checks) << text;
  const std::string document = run_browser("--dump-dom", with_checks);
  const std::string start = "<pre id=\"checks\">";
  const std::size_t from = document.find(start);
  if (from == std::string::npos) return "the checks did not end";
  return document.substr(from + start.size(), document.find("</pre>", from) - from - start.size());
}

// Pictures stay in the folder, to look at.
void check_picture(const fs::path& page, const std::string& section) {
  const fs::path picture = folder / (page.stem().string() + "_" + section + ".png");
  run_browser("--screenshot=" + picture.string(), page.string() + "#" + section);
  const std::string png = content(picture);
  CHECK(png.substr(1, 3) == "PNG");
  CHECK(png.size() > 20'000);  // an empty page has 5 KB
}

template <class F>
void check_page(const Compiled<F>& function, const std::string& name,
                const sinter::detail::Profile* profile) {
  const fs::path page = folder / (name + ".html");
  fs::create_directories(folder);
  report(function, page);
  const std::string result = checked(page, claims_of(function, profile));
  std::printf("%s: %s\n", page.filename().c_str(), result.c_str());
  INFO(result);
  CHECK(contains(result, " checks, 0 failed"));
  for (const char* const section : {"overview", "graph", "kernels", "memory"}) {
    check_picture(page, section);
  }
}

// A step of the training of examples/digits, with batches of 64 and of the 30 images that are left.
template <class Model>
void check_digits(const std::string& name) {
  const auto data = digits::read_data(std::string(SINTER_SOURCE_DIR) + "/examples/data/digits.csv");
  std::mt19937 random(0);
  const auto batches = digits::shuffled_batches(data.train, random, true);
  Model network;
  optim::AdamW optimizer{.learning_rate = 2e-3f};
  auto step = compile(digits::train_step<Model>, {.name = name});
  const auto train = [&](const digits::Batch& batch) {
    step(network, optimizer, batch.images, batch.digits);
  };
  for (std::size_t i = 0; i < 3; ++i) train(batches[i]);
  train(batches.back());
  const auto seen = profile([&] { train(batches[0]); }, {.calls = 5});
  CHECK(step.stats().recordings == 1);
  CHECK(seen.kernels.size() > 3);
  check_page(step, name, &seen);
  check_picture(folder / (name + ".html"), "timeline");
}

Tensor three_breaks(const Tensor& x) {
  Tensor y = softmax(x, -1);
  if (sum(y) < 0) y = -y;
  graph_break("to look at it");
  y = exp(y) + 1.0f;
  if (max(y).item<float>() > 100) y = y / max(y);
  return tanh(y);
}

}  // namespace

TEST_CASE("browser: the report of the training on digits, linear layers") {
  if (browser().empty()) SINTER_SKIP("no chromium");
  check_digits<digits::Network>("digits_linear");
}

TEST_CASE("browser: the report of the training on digits, vision transformer") {
  if (browser().empty()) SINTER_SKIP("no chromium");
  check_digits<digits::Transformer>("digits_transformer");
}

TEST_CASE("browser: the report of BERT, 12 layers of an eighth of the width of bert-base") {
  if (browser().empty()) SINTER_SKIP("no chromium");
  auto bert = models::Bert({.hidden_size = 96, .intermediate_size = 384});
  nn::eval(bert);
  auto f = compile(bert, {.fullgraph = true, .name = "bert"});
  const Tensor ids = randint(30522, {2, 16});
  const auto seen = profile([&] { f(ids); }, {.calls = 5});
  check_page(f, "bert", &seen);
  check_picture(folder / "bert.html", "timeline");
}

TEST_CASE("browser: the report of a function with three graph breaks") {
  if (browser().empty()) SINTER_SKIP("no chromium");
  auto f = compile(three_breaks, {.name = "three_breaks"});
  for (const int size : {8, 8, 12}) f(ones({size}));
  CHECK(f.explain().breaks.size() == 3);
  check_page(f, "breaks", nullptr);
  check_picture(folder / "breaks.html", "breaks");
}

TEST_CASE("browser: the report of a function with a branch and loops") {
  if (browser().empty()) SINTER_SKIP("no chromium");
  const auto controlled = [](const Tensor& x) {
    const Tensor y = cond(
        sum(x) > 0, [](const Tensor& v) { return softmax(v * v, -1); },
        [](const Tensor& v) { return exp(v); }, x);
    const Tensor z = while_loop([](const Tensor& v) { return sum(v) < 100; },
                                [](const Tensor& v) { return v * 2 + sin(v); }, y);
    const auto step = [](const Tensor& carry, const Tensor& row) {
      return std::pair{carry + row, tanh(carry) * row};
    };
    return scan(step, zeros({8}), z).second;
  };
  auto f = compile(controlled, {.name = "control"});
  f(ones({4, 8}));
  check_page(f, "control", nullptr);
}

TEST_CASE("browser: 5,000 operations outside of modules, one after the other") {
  if (browser().empty()) SINTER_SKIP("no chromium");
  fs::create_directories(folder);
  auto f = compile(
      [](const Tensor& x) {
        Tensor y = x;
        for (int i = 0; i < 2500; ++i) y = sin(y) * (1.0f + 0.001f * static_cast<float>(i));
        return y;
      },
      {.backend = Backend::aot_eager, .name = "long"});
  f(ones({4}));
  report(f, folder / "long.html");
  const std::string result = checked(folder / "long.html", claims_of(f, nullptr));
  std::printf("long.html: %s\n", result.c_str());
  INFO(result);
  CHECK(contains(result, " checks, 0 failed"));
}
