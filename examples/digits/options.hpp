#pragma once
// The command line of the example.

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "../command_line.hpp"
#include "model.hpp"

namespace digits {

using command_line::choice;
using command_line::count_of;

inline constexpr const char* help =
    "Trains two networks on the handwritten digits, one of linear layers and a vision\n"
    "transformer; the whole training step of each is one compiled function.\n"
    "  --model linear|transformer|both   which of them; both\n"
    "  --epochs N              times that every image is trained on; 30, the transformer 45\n"
    "  --seed S                of the first parameters and of the order of the images; 0\n"
    "  --seeds K               trains with seeds S to S + K - 1, and prints the worst; 1\n"
    "  --learning-rate X       of AdamW; 0.005; the transformer 0.002, falling\n"
    "  --backend fused|eager   kernels, or one operation after the other; fused\n"
    "  --device cpu|cuda       where it runs; on the GPU if there is one\n"
    "  --mark on|off           say that the size of a batch varies, or let it be found out; on\n"
    "  --json FILE             write the figures to a file as well\n";

struct Options {
  bool linear = true, transformer = true;  // which networks are trained
  std::optional<int> epochs{};             // if set, instead of the network's default
  std::optional<float> learning_rate{};
  int seeds = 1;
  Setup setup{};
  std::optional<sinter::Device> device{};
  std::string json{};
  bool help = false;
};

inline std::uint64_t seed_of(const std::string& value) {
  char* end = nullptr;
  const std::uint64_t result = std::strtoull(value.c_str(), &end, 10);
  if (value.empty() || *end != '\0') throw std::runtime_error("not a number: " + value);
  return result;
}

inline void set_option(Options& options, const std::string& name, const std::string& value) {
  if (name == "--model") {
    const bool both = value == "both";
    options.linear = both || choice(value, "linear", "transformer");
    options.transformer = both || !options.linear;
  } else if (name == "--epochs") {
    options.epochs = count_of(value);
  } else if (name == "--seed") {
    options.setup.seed = seed_of(value);
  } else if (name == "--seeds") {
    options.seeds = count_of(value);
  } else if (name == "--learning-rate") {
    options.learning_rate = static_cast<float>(command_line::number_of(value));
  } else if (name == "--backend") {
    const bool fused = choice(value, "fused", "eager");
    options.setup.backend = fused ? sinter::Backend::fused : sinter::Backend::eager;
  } else if (name == "--device") {
    options.device = choice(value, "cuda", "cpu") ? sinter::cuda() : sinter::cpu();
  } else if (name == "--mark") {
    options.setup.mark = choice(value, "on", "off");
  } else if (name == "--json") {
    options.json = value;
  } else {
    command_line::throw_unknown(name);
  }
}

inline Options read_options(const std::vector<std::string>& arguments) {
  Options result;
  const auto is_flag = [&](const std::string& name) {
    result.help = result.help || name == "--help";
    return name == "--help";
  };
  const auto set = [&](const std::string& name, const std::string& value) {
    set_option(result, name, value);
  };
  command_line::read(arguments, set, is_flag);
  return result;
}

}  // namespace digits
