#pragma once
// The command line.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "../command_line.hpp"
#include "training.hpp"

namespace captioning {

using command_line::choice;
using command_line::count_of;
using command_line::number_of;

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
    setup.bf16 = choice(value, "on", "off");
  } else if (name == "--test") {
    options.test = static_cast<std::size_t>(count_of(value));
  } else if (name == "--beams") {
    options.beams = count_of(value);
  } else if (name == "--at-least") {
    options.at_least = number_of(value);
  } else if (name == "--checkpoint") {
    options.checkpoint = value;
  } else if (name == "--resume") {
    options.resume = choice(value, "on", "off");
  } else if (name == "--width") {
    setup.size.width = count_of(value);
  } else if (name == "--row") {
    options.row = value;
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
    result.peers = result.peers || name == "--peers";
    result.table = result.table || name == "--table" || name == "--peers";
    return name == "--help" || name == "--table" || name == "--peers";
  };
  const auto set = [&](const std::string& name, const std::string& value) {
    set_option(result, name, value);
  };
  command_line::read(arguments, set, is_flag);
  return result;
}

}  // namespace captioning
