// Trains a model that writes captions: a vision transformer, and a decoder like GPT-2 that attends
// to its tokens, on pictures put together from handwritten digits.

#include <sinter/sinter.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include "../digits/report.hpp"
#include "options.hpp"
#include "table.hpp"
#include "training.hpp"

using namespace captioning;

namespace {

void show_examples(const models::Captioner& model, const Pictures& pictures, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto [image, tokens] = pictures[i];
    const Tensor ids = captions_of(model, unsqueeze(image, 0), 1);
    std::printf("  %-60s %s\n", text_of(tokens.to_vector<std::int64_t>()).c_str(),
                text_of(ids.to_vector<std::int64_t>()).c_str());
  }
}

void train(Trainer& trainer, const Options& options, const Pictures& test) {
  double wall = 0, processor = 0;
  const std::int64_t last = std::min(options.setup.epochs, options.stop_after);
  while (trainer.epochs() < last) {
    const Counts counts = counts_of(options.setup, trainer.epochs());
    const EpochResult result = trainer.train_epoch();
    wall += result.wall;
    processor += result.processor;
    if (!options.checkpoint.empty()) trainer.save(options.checkpoint);
    const double right = exact_match(trainer.model(), test, 1);
    std::printf(
        "epoch %2lld/%d  %d to %2d digits  loss %.4f  exact match %.3f  %5.1f s, %5.1f s of "
        "processors\n",
        static_cast<long long>(trainer.epochs()), options.setup.epochs, counts.fewest, counts.most,
        result.loss, right, wall, processor);
    std::fflush(stdout);
  }
}

int run(const Options& options) {
  if (options.table) return run_table(options);
  const digits::Data data = digits::read_data(SINTER_DATA_DIR "/digits.csv");
  if (!options.row.empty()) return run_row(options, data.train);
  Trainer trainer(options.setup, data.train);
  if (options.resume && trainer.resume(options.checkpoint)) {
    std::printf("resumed after %lld epochs\n", static_cast<long long>(trainer.epochs()));
  }
  std::printf("%lld parameters; digits of %zu images to train on, of %zu others to test\n",
              static_cast<long long>(sinter::nn::parameter_count(trainer.model())),
              data.train.size(), data.test.size());
  train(trainer, options, test_pictures(data.test, options.test));

  const Pictures test = test_pictures(data.test, 4 * options.test);
  const double greedy = exact_match(trainer.model(), test, 1);
  const double beams = exact_match(trainer.model(), test, options.beams);
  digits::Report report;
  report.begin("");
  std::printf("\n");
  report.add("exact match, greedy", "exact_match_greedy", greedy, 4);
  report.add("exact match, " + std::to_string(options.beams) + " beams", "exact_match_beams", beams,
             4);
  report.add("test pictures", "test_pictures", static_cast<double>(test.size()), 0);
  report.add("recordings of the step", "recordings",
             static_cast<double>(trainer.stats().recordings), 0);
  report.add("recompiles of the step", "recompiles",
             static_cast<double>(trainer.stats().recompiles), 0);
  report.add("kernels of the step", "kernels", static_cast<double>(trainer.stats().kernels), 0);
  report.print();
  std::printf("\n  caption                                                      written\n");
  show_examples(trainer.model(), test, 5);
  if (!options.json.empty()) report.write_json(options.json);
  return greedy >= options.at_least && trainer.stats().recompiles == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** values) {
  return command_line::run(count, values, help, read_options,
                           [](const Options& options) { return run(options); });
}
