// docs/fusion.md says what SINTER_LOGS=fusion says of two models: it is written by this test, with
// SINTER_UPDATE_GOLDEN=1.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "../../examples/digits/transformer.hpp"
#include "jit/support.hpp"

using namespace testing;

namespace {

using Layer = nn::TransformerEncoderLayer;

constexpr nn::TransformerEncoderLayerOptions options{
    .dropout = 0, .activation = nn::Activation::gelu, .batch_first = true, .norm_first = true};

// "[64] x [10]: max, model.cpp:7; sub, model.cpp:7" without the lines of the user.
std::string without_lines(const std::string& computed) {
  const auto start = computed.find(": ");
  std::string result = computed.substr(0, start + 1);
  std::istringstream operations(computed.substr(start + 2));
  for (std::string one; std::getline(operations, one, ';');) {
    const auto name = one.find_first_not_of(' ');
    result += " " + one.substr(name, one.find(',') - name);
  }
  return result;
}

struct KernelLine {
  std::string computed{};
  std::map<std::string, std::string> reasons{};  // of each, the kernels that it is about
  std::vector<std::string> order{};              // of the reasons
};

void add_boundary(KernelLine& kernel, const std::string& line) {
  const auto from = line.find(", of kernel ") + 12, end = line.find(": ", from);
  const std::string other = line.substr(from, end - from), reason = line.substr(end + 2);
  std::string& others = kernel.reasons[reason];
  if (others.empty()) kernel.order.push_back(reason);
  if ((", " + others + ",").find(", " + other + ",") != std::string::npos) return;
  others += (others.empty() ? "" : ", ") + other;
}

std::vector<KernelLine> kernels_of(const std::string& log) {
  const std::string start = "sinter[fusion]: ";
  std::vector<KernelLine> result;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(start, 0) != 0) continue;
    line = line.substr(start.size());
    if (line.rfind("kernel ", 0) == 0) {
      result.push_back({without_lines(line.substr(line.find(", ") + 2))});
    } else if (line.rfind("  then ", 0) == 0) {
      result.back().computed += "; then " + without_lines(line.substr(7));
    } else if (line.rfind("  loads ", 0) == 0) {
      add_boundary(result.back(), line);
    }
  }
  return result;
}

std::string table_of(const std::string& title, const std::string& log, std::int64_t launches) {
  const std::vector<KernelLine> kernels = kernels_of(log);
  std::string result =
      text("## ", title, "\n\n", kernels.size(), " kernels in ", launches,
           " launches.\n\n| kernel | computes | why it is not one with |\n", "|---|---|---|\n");
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    result += text("| ", i, " | ", kernels[i].computed, " | ");
    for (const std::string& reason : kernels[i].order) {
      const bool first = reason == kernels[i].order[0];
      result += text(first ? "" : "<br>", kernels[i].reasons.at(reason), ": ", reason);
    }
    result += kernels[i].order.empty() ? "|\n" : " |\n";
  }
  return result + "\n";
}

template <class Function, class... Arguments>
std::string explained(const std::string& title, const Function& f, const Arguments&... arguments) {
  setenv("SINTER_LOGS", "fusion", 1);
  const std::string log = said([&] { f(arguments...); });
  unsetenv("SINTER_LOGS");
  return table_of(title, log, f.stats().kernels);
}

std::string block_table() {
  const Layer layer(512, 8, options);
  const auto f = compile(layer, {.fullgraph = true});
  return explained("A pre-norm transformer block, (8, 256, 512), forward", f, randn({8, 256, 512}));
}

std::string digits_table() {
  digits::Transformer model;
  optim::AdamW optimizer(1e-3);
  const auto step = [&](const Tensor& images, const Tensor& labels) {
    auto [loss, gradients] =
        value_and_grad(model, [&] { return cross_entropy(model(images), labels); });
    optimizer.step(model, gradients);
    return loss;
  };
  const auto f = compile(step);
  return explained("A training step of the vision transformer on digits", f, randn({64, 64}),
                   remainder(arange(64), 10));
}

std::string page() {
  return text(
      "# Kernels of two models, and why there are so many\n\n",
      "Written by the test end_to_end/fusion_page_test.cpp from `SINTER_LOGS=fusion`, whose\n",
      "reasons [seeing.md](seeing.md) explains. `[64, 16] x [64]` are 64 by 16 rows, each with a\n",
      "loop over 64; `then` is what follows in the same kernel. The last column names the "
      "kernels\n",
      "that a kernel loads from, and why it is not one with them. Kernels without barriers\n",
      "between them share launches.\n\n", block_table(), digits_table(),
      "See also: [how_it_works.md](how_it_works.md).\n");
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("fusion page: the documentation names the kernels of two models, and each boundary") {
  const ScopedFreshCache fresh;
  const std::string expected = page();
  const std::filesystem::path path = std::filesystem::path(SINTER_SOURCE_DIR) / "docs/fusion.md";
  if (std::getenv("SINTER_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << expected;
  INFO("docs/fusion.md differs; SINTER_UPDATE_GOLDEN=1 writes what the compiler does now");
  CHECK(read(path) == expected);
}
