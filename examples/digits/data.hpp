#pragma once
// The images of handwritten digits: read from a file, split, and cut into batches.

#include <sinter/sinter.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <random>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace digits {

inline constexpr std::size_t pixels_per_image = 64;
inline constexpr std::size_t batch_size = 64;

/// Pixels from 0 to 1, image after image, and the label of each image.
struct Images {
  std::vector<float> pixels{};
  std::vector<std::int64_t> digits{};

  std::size_t size() const { return digits.size(); }
};

struct Data {
  Images train{}, test{};
};

/// Adds a line of the file: 64 pixels from 0 to 16, then the digit.
inline void add_line(Images& images, const std::string& line) {
  std::istringstream fields(line);
  std::string field;
  for (std::size_t i = 0; i < pixels_per_image && std::getline(fields, field, ','); ++i) {
    images.pixels.push_back(std::strtof(field.c_str(), nullptr) / 16.0f);
  }
  std::getline(fields, field);
  images.digits.push_back(std::strtol(field.c_str(), nullptr, 10));
  if (images.pixels.size() != images.size() * pixels_per_image) {
    throw std::runtime_error("not a line of 64 pixels and a digit: " + line);
  }
}

/// Every fifth image, starting with the first, is kept for the test.
inline Data read_data(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  Data result;
  std::string line;
  for (std::size_t row = 0; std::getline(file, line); ++row) {
    add_line(row % 5 == 0 ? result.test : result.train, line);
  }
  return result;
}

inline Images first_images(const Images& images, std::size_t count) {
  Images result = images;
  result.digits.resize(std::min(count, images.size()));
  result.pixels.resize(result.size() * pixels_per_image);
  return result;
}

struct Batch {
  sinter::Tensor images{};  ///< f32[n, 64]
  sinter::Tensor digits{};  ///< i64[n]
};

/// The images of `rows`. If `mark`, compiled functions take any number of them.
inline Batch make_batch(const Images& images, std::span<const std::size_t> rows, bool mark) {
  std::vector<float> pixels;
  std::vector<std::int64_t> digits;
  for (const std::size_t row : rows) {
    const float* const first = &images.pixels[row * pixels_per_image];
    pixels.insert(pixels.end(), first, first + pixels_per_image);
    digits.push_back(images.digits[row]);
  }
  const auto count = static_cast<std::int64_t>(rows.size());
  Batch result{sinter::from_vector(pixels, {count, 64}), sinter::from_vector(digits, {count})};
  if (mark) {
    sinter::mark_dynamic(result.images, 0, {.min = 1});
    sinter::mark_dynamic(result.digits, 0, {.min = 1});
  }
  return result;
}

/// 0, 1, ... up to the number of images.
inline std::vector<std::size_t> all_rows(const Images& images) {
  std::vector<std::size_t> rows(images.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

/// All images in random order, in batches of `batch_size`; the last one is smaller.
inline std::vector<Batch> shuffled_batches(const Images& images, std::mt19937& random, bool mark) {
  std::vector<std::size_t> rows = all_rows(images);
  std::shuffle(rows.begin(), rows.end(), random);
  std::vector<Batch> result;
  for (std::size_t start = 0; start < rows.size(); start += batch_size) {
    const std::size_t count = std::min(batch_size, rows.size() - start);
    result.push_back(make_batch(images, std::span(rows).subspan(start, count), mark));
  }
  return result;
}

}  // namespace digits
