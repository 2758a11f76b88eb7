#pragma once
// The command line.

#include <cstdint>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "training.hpp"

namespace captioning {

inline constexpr const char* help =
    "run [option value]...\n"
    "  Trains a vision transformer and a decoder like GPT-2 to read pictures of handwritten "
    "digits.\n"
    "  --epochs N          of --steps steps each; 15\n"
    "  --steps N           1000\n"
    "  --batch N           pictures of a step; 16\n"
    "  --learning-rate X   the largest; 1e-3\n"
    "  --seed N            of weights and pictures; 0\n"
    "  --workers N         threads that make pictures; 1\n"
    "  --bf16 on|off       products in bf16; off\n"
    "  --test N            test pictures after each epoch; 250. Four times as many at the end\n"
    "  --beams N           of the last test; 4\n"
    "  --at-least X        fail if fewer captions of the last test, greedy, are right; 0\n"
    "  --checkpoint FILE   is written after each epoch; captioning.safetensors\n"
    "  --resume on|off     go on from the checkpoint, if there is one; off\n"
    "  --stop-after N      epochs; then end as if interrupted\n"
    "  --width N           of the model; 96\n"
    "  --table [peers]     instead of training: each way to compile the step, measured in "
    "processes\n"
    "                      of their own; with peers beside torch, in the Python of\n"
    "                      SINTER_BENCH_PEERS\n"
    "  --json FILE         write the figures to a file as well\n";

struct Options {
  Setup setup{};
  std::size_t test = 250;
  std::int64_t beams = 4;
  double at_least = 0;
  int stop_after = 1'000'000;
  std::string checkpoint = "captioning.safetensors";
  bool resume = false, table = false, peers = false, help = false;
  std::string row{}, json{};
};

inline double number_of(const std::string& value) {
  char* last = nullptr;
  const double result = std::strtod(value.c_str(), &last);
  if (value.empty() || *last != '\0') throw std::runtime_error("not a number: " + value);
  return result;
}

inline int count_of(const std::string& value, int least = 1) {
  const double result = number_of(value);
  if (!(result >= least && result <= 1e6 && result == static_cast<int>(result))) {
    throw std::runtime_error("not a count: " + value);
  }
  return static_cast<int>(result);
}

inline bool is_on(const std::string& value) {
  if (value != "on" && value != "off") throw std::runtime_error("not on or off: " + value);
  return value == "on";
}

inline void set_option(Options& options, const std::string& name, const std::string& value) {
  Setup& setup = options.setup;
  const std::map<std::string, int*> counts{{"--epochs", &setup.epochs},
                                           {"--steps", &setup.steps},
                                           {"--batch", &setup.batch},
                                           {"--stop-after", &options.stop_after}};
  if (const auto found = counts.find(name); found != counts.end()) {
    *found->second = count_of(value);
  } else if (name == "--learning-rate") {
    setup.learning_rate = static_cast<float>(number_of(value));
  } else if (name == "--seed") {
    setup.seed = static_cast<std::uint64_t>(count_of(value, 0));
  } else if (name == "--workers") {
    setup.workers = count_of(value, 0);
  } else if (name == "--bf16") {
    setup.bf16 = is_on(value);
  } else if (name == "--test") {
    options.test = static_cast<std::size_t>(count_of(value));
  } else if (name == "--beams") {
    options.beams = count_of(value);
  } else if (name == "--at-least") {
    options.at_least = number_of(value);
  } else if (name == "--checkpoint") {
    options.checkpoint = value;
  } else if (name == "--resume") {
    options.resume = is_on(value);
  } else if (name == "--width") {
    setup.size.width = count_of(value);
  } else if (name == "--row") {
    options.row = value;
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
    } else if (arguments[i] == "--table" || arguments[i] == "--peers") {
      result.table = true;
      result.peers = result.peers || arguments[i] == "--peers";
    } else if (i + 1 == arguments.size()) {
      throw std::runtime_error(arguments[i] + " needs a value; --help lists the options");
    } else {
      set_option(result, arguments[i], arguments[i + 1]);
      ++i;
    }
  }
  return result;
}

}  // namespace captioning
