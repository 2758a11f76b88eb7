// test: deep cost=60
// Pages of reports, used in a browser.

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

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

// What page_checks.js finds out about a page: "40 checks, 0 failed" in the first line.
std::string checked(const fs::path& page) {
  std::string text = content(page);
  const std::string script =
      content(fs::path(SINTER_SOURCE_DIR) / "tests/debug/report/page_checks.js");
  replace(text, "<head>",
          "<head><script>window.problems = [];\n"
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

void check_page(const fs::path& page) {
  const std::string result = checked(page);
  std::printf("%s: %s\n", page.filename().c_str(), result.c_str());
  INFO(result);
  CHECK(contains(result, " checks, 0 failed"));
  for (const char* const section : {"overview", "graph", "kernels", "memory"}) {
    check_picture(page, section);
  }
}

struct Encoder {
  nn::Embedding words{100, 16};
  nn::TransformerEncoder encoder{
      nn::TransformerEncoderLayer(16, 2, {.feedforward = 32, .batch_first = true}), 12};
  nn::Linear head{16, 2};
  SINTER_MODULE(Encoder, words, encoder, head)
  Tensor forward(const Tensor& ids) const { return head(mean(encoder(words(ids)), 1)); }
};

Tensor three_breaks(const Tensor& x) {
  Tensor y = softmax(x, -1);
  if (sum(y) < 0) y = -y;
  graph_break("to look at it");
  y = exp(y) + 1.0f;
  if (max(y).item<float>() > 100) y = y / max(y);
  return tanh(y);
}

}  // namespace

TEST_CASE("browser: the report of a training step of an encoder of 12 layers") {
  if (browser().empty()) SINTER_SKIP("no chromium");
  fs::create_directories(folder);
  Encoder model;
  optim::AdamW optimizer{.learning_rate = 1e-3};
  auto step = compile(
      [](Encoder& m, optim::AdamW& adam, const Tensor& ids, const Tensor& labels) {
        auto [loss, gradients] = value_and_grad(m, [&] { return cross_entropy(m(ids), labels); });
        adam.step(m, gradients);
        return loss;
      },
      {.name = "encoder"});
  const Tensor ids = randint(0, 100, {2, 8}), labels = randint(0, 2, {2});
  step(model, optimizer, ids, labels);
  profile([&] { step(model, optimizer, ids, labels); }, {.calls = 3});
  report(step, folder / "encoder.html");
  check_page(folder / "encoder.html");
  check_picture(folder / "encoder.html", "timeline");
}

TEST_CASE("browser: the report of a function with three graph breaks") {
  if (browser().empty()) SINTER_SKIP("no chromium");
  fs::create_directories(folder);
  auto f = compile(three_breaks, {.name = "three_breaks"});
  for (const int size : {8, 8, 12}) f(ones({size}));
  report(f, folder / "breaks.html");
  check_page(folder / "breaks.html");
  check_picture(folder / "breaks.html", "breaks");
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
  const std::string result = checked(folder / "long.html");
  std::printf("long.html: %s\n", result.c_str());
  INFO(result);
  CHECK(contains(result, " checks, 0 failed"));
}
