#pragma once
// The training loop, and what a model writes about test images.

#include <sinter/data.hpp>
#include <sinter/models.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <string>
#include <utility>

#include "model.hpp"
#include "pictures.hpp"

namespace captioning {

struct Setup {
  std::uint64_t seed = 0;
  int batch = 16, steps = 1000, epochs = 15;  ///< Steps of an epoch.
  float learning_rate = 1e-3f;
  int warmup = 200;    ///< Steps.
  int workers = 1;     ///< Threads that make pictures.
  bool bf16 = false;   ///< Products of the forward pass and of gradients.
  int first_most = 4;  ///< Digits of a picture in the first epoch, at most; 4 more in each other.
  Size size{};
};

/// Digits of the pictures of an epoch, from 0 on.
inline Counts counts_of(const Setup& setup, std::int64_t epoch) {
  const auto most = setup.first_most + 4 * static_cast<int>(std::min<std::int64_t>(epoch, 100));
  return {.most = std::min(most, most_digits)};
}

inline double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
/// Of all threads of this process.
inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// One recording serves all lengths of captions.
inline void mark_lengths(Tensor& tokens) {
  mark_dynamic(
      tokens, 1,
      {.min = static_cast<std::int64_t>(shortest), .max = static_cast<std::int64_t>(longest)});
}

struct EpochResult {
  double loss = 0;  ///< The mean of its steps.
  double wall = 0, processor = 0;
};

class Trainer {
 public:
  Trainer(const Setup& setup, const digits::Images& source)
      : setup_(setup),
        source_(source),
        training_{new_model(setup.size, setup.seed), new_optimizer()},
        step_(compile(train_step, {.fullgraph = true, .name = "train_step"})) {}

  EpochResult train_epoch() {
    const std::int64_t epoch = epochs();
    const auto batch = static_cast<std::size_t>(setup_.batch);
    const std::size_t count = batch * static_cast<std::size_t>(setup_.steps);
    const Pictures pictures{.source = &source_,
                            .seed = setup_.seed,
                            .first = static_cast<std::uint64_t>(epoch) * count,
                            .count = count,
                            .counts = counts_of(setup_, epoch),
                            .group = batch,
                            .augments = true};
    sinter::data::Loader loader(
        pictures, {.batch_size = setup_.batch, .workers = setup_.workers, .pad_to_multiple = 1});
    const double wall = wall_seconds(), processor = processor_seconds();
    std::int64_t number = epoch * setup_.steps;
    double sum = 0;
    for (auto& [images, tokens] : loader) {
      mark_lengths(tokens);
      training_.optimizer.learning_rate = rate(number++);
      sum +=
          step_(training_.model, training_.optimizer, images, tokens, setup_.bf16).item<double>();
    }
    training_.epoch += 1;
    return {sum / setup_.steps, wall_seconds() - wall, processor_seconds() - processor};
  }

  /// Rises in `warmup` steps, then falls to a hundredth at the end of the last epoch.
  float rate(std::int64_t step) const {
    const std::int64_t rest = std::max(1, setup_.steps * setup_.epochs - setup_.warmup);
    const auto fall = sinter::optim::cosine(setup_.learning_rate, rest, setup_.learning_rate / 100);
    return sinter::optim::warmup(setup_.warmup, fall)(step);
  }

  /// Epochs that have been trained.
  std::int64_t epochs() const { return training_.epoch.item<std::int64_t>(); }
  const models::Captioner& model() const { return training_.model; }
  sinter::Stats stats() const { return step_.stats(); }

  void save(const std::string& path) { sinter::io::save(path, training_); }
  /// Goes on where save() was called; says whether there is such a file.
  bool resume(const std::string& path) {
    if (!std::ifstream(path)) return false;
    sinter::io::load(path, training_);
    return true;
  }

 private:
  Setup setup_;
  const digits::Images& source_;
  Training training_;
  sinter::Compiled<decltype(&train_step)> step_;
};

/// What attention in the decoder reads: the encoded images, and no tokens.
inline models::DecoderCache begin_captions(const models::Captioner& model, const Tensor& images) {
  return model.new_cache(model.encode(normalized(images)), static_cast<std::int64_t>(longest));
}

/// The most probable captions of images that search finds, (batch, 40), padded with </s>.
inline Tensor captions_of(const models::Captioner& model, const Tensor& images,
                          std::int64_t beams) {
  static const auto begin = compile(begin_captions, {.fullgraph = true, .name = "begin"});
  const Tensor first = sinter::full({images.size(0), 1}, start, sinter::i64);
  const models::GenerateOptions options{
      .max_tokens = static_cast<std::int64_t>(longest) - 1, .beams = beams, .end_token = end};
  return generate(model, first, begin(model, images), options).ids;
}

/// The share of pictures whose whole caption is right, of `beams` or, with 1, greedy search.
inline double exact_match(const models::Captioner& model, const Pictures& pictures,
                          std::int64_t beams) {
  sinter::data::Loader loader(pictures, {.batch_size = 50,
                                         .pad_to_multiple = static_cast<int>(longest),
                                         .pad_value = static_cast<double>(end)});
  double right = 0;
  for (auto& [images, tokens] : loader) {
    const Tensor same = captions_of(model, images, beams) == tokens;
    right += sum(sinter::all(same, 1)).template item<double>();
  }
  return right / static_cast<double>(pictures.size());
}

/// Pictures of digits that training never saw, anywhere in their cells, with 1 to 12 digits.
inline Pictures test_pictures(const digits::Images& source, std::size_t count) {
  return {.source = &source, .seed = 1'000'003, .count = count};
}

}  // namespace captioning
