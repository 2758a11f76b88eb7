#pragma once
// The command line of the example.

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "model.hpp"

namespace digits {

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

inline std::uint64_t number_of(const std::string& value) {
  char* end = nullptr;
  const std::uint64_t result = std::strtoull(value.c_str(), &end, 10);
  if (value.empty() || *end != '\0') throw std::runtime_error("not a number: " + value);
  return result;
}

inline float rate_of(const std::string& value) {
  char* end = nullptr;
  const float result = std::strtof(value.c_str(), &end);
  if (value.empty() || *end != '\0') throw std::runtime_error("not a number: " + value);
  return result;
}

inline int count_of(const std::string& value) {
  const std::uint64_t result = number_of(value);
  if (result < 1 || result > 1'000'000) throw std::runtime_error("not a count: " + value);
  return static_cast<int>(result);
}

/// True for `yes`, false for `no`.
inline bool choice(const std::string& value, const std::string& yes, const std::string& no) {
  if (value != yes && value != no) throw std::runtime_error("not " + yes + " or " + no);
  return value == yes;
}

inline void set_option(Options& options, const std::string& name, const std::string& value) {
  if (name == "--model") {
    const bool both = value == "both";
    options.linear = both || choice(value, "linear", "transformer");
    options.transformer = both || !options.linear;
  } else if (name == "--epochs") {
    options.epochs = count_of(value);
  } else if (name == "--seed") {
    options.setup.seed = number_of(value);
  } else if (name == "--seeds") {
    options.seeds = count_of(value);
  } else if (name == "--learning-rate") {
    options.learning_rate = rate_of(value);
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
    throw std::runtime_error("unknown option " + name + "; --help lists them");
  }
}

inline Options read_options(const std::vector<std::string>& arguments) {
  Options result;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--help") {
      result.help = true;
    } else if (i + 1 == arguments.size()) {
      throw std::runtime_error(arguments[i] + " needs a value; --help lists the options");
    } else {
      set_option(result, arguments[i], arguments[i + 1]);
      ++i;
    }
  }
  return result;
}

}  // namespace digits
