#pragma once

#include <sinter/data/transform.hpp>
#include <sinter/trace/context/autocast.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/recorder_scope.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/clamp.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/concatenate.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/product/product.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

namespace sinter::inline SINTER_ABI::data {

namespace detail {

SINTER_INLINE Tensor require_image(const Operand& image, int axes, const char* op) {
  const Tensor result = image.tensor();
  if (result.ndim(image.where) >= axes) return result;
  throw ShapeError({.op = op,
                    .what = "the tensor is no image",
                    .facts = {{"image", to_string(result)}},
                    .rule = axes == 3 ? "an image is [..., channels, height, width]"
                                      : "an image is [..., height, width]",
                    .fix = "reshape it",
                    .where = image.where});
}

SINTER_INLINE Tensor number(Extent size, Where at) { return sinter::detail::cast({size, at}, f32); }

// Interpolation weights, (out, in): a triangle filter around the center of each output pixel, as
// wide as a pixel of the coarser grid.
SINTER_INLINE Tensor resize_weights(Extent in, Extent out, bool antialias, Where at) {
  const auto middles = [&](Extent size) {
    return add({sinter::detail::cast({arange(size, at), at}, f32), at}, {0.5f, at});
  };
  const Tensor scale = div({number(in, at), at}, {number(out, at), at});
  const Tensor width = antialias ? maximum({scale, at}, {1.0f, at}) : full({}, {1.0f, at});
  const Tensor centers = unsqueeze({mul({middles(out), at}, {scale, at}), at}, 1);
  const Tensor distance = abs({sub({middles(in), at}, {centers, at}), at});
  const Tensor height = sub({1.0f, at}, {div({distance, at}, {width, at}), at});
  const Tensor weights = maximum({height, at}, {0.0f, at});
  return div({weights, at}, {sum({weights, at}, -1, true), at});
}

SINTER_INLINE void require_inside(const char* op, const Tensor& image, const char* axis_name,
                                  int axis, Extent start, Extent size, Where at) {
  const Extent whole = image.shape()[axis];
  const bool is_inside = start >= 0 && size >= 0 && start + size <= whole;
  if (is_inside) return;
  using sinter::detail::text;
  throw IndexError(
      {.op = op,
       .what = "the crop reaches out of the image",
       .facts = {{"image", to_string(image)}, {axis_name, text(start, " to ", start + size)}},
       .rule = "crops are inside of the image",
       .fix = "crop less, or resize or pad the image before",
       .where = at,
       .see = "indexing"});
}

SINTER_INLINE Tensor crop_of(const char* op, const Tensor& image, Extent top, Extent left,
                             ImageSize size, Where at) {
  require_inside(op, image, "rows", -2, top, size.height, at);
  require_inside(op, image, "columns", -1, left, size.width, at);
  return narrow({narrow({image, at}, -2, top, size.height), at}, -1, left, size.width);
}

// Half of the remainder; ties round to even.
SINTER_INLINE Extent margin(Extent whole, Extent size) {
  const Extent rest = whole - size;
  return rest % 4 == 3 ? (rest + 1) / 2 : rest / 2;
}

// [channels, 1, 1] of numbers that are constants of a recording.
SINTER_INLINE Tensor per_channel(const std::vector<double>& numbers, DType dtype, Where at) {
  std::vector<Tensor> list;
  for (const double each : numbers) list.push_back(full({1, 1}, {each, at}, dtype));
  return stack(sinter::detail::OperandList(list, at));
}

SINTER_INLINE void require_channels(const Tensor& image, const std::vector<double>& mean,
                                    const std::vector<double>& std, Where at) {
  using sinter::detail::text;
  const auto fits = [&](const std::vector<double>& numbers) {
    return numbers.size() == 1 ||
           sinter::detail::equal_sizes(image.shape()[-3], Extent(numbers.size()), at);
  };
  if (!fits(mean) || !fits(std)) {
    throw ShapeError(
        {.op = "data::normalize",
         .what = "the means do not fit the channels of the image",
         .facts = {{"image", to_string(image)}, {"mean", text(mean)}, {"std", text(std)}},
         .rule = "there are one mean and one std for each channel, or for all",
         .fix = "read_image(path, data::ImageMode::rgb) always has three channels",
         .where = at});
  }
  for (const double each : std) {
    if (each != 0) continue;
    throw ValueError({.op = "data::normalize",
                      .what = "a standard deviation is 0",
                      .facts = {{"std", text(std)}},
                      .rule = "numbers are divided by std",
                      .fix = "a std of 1 leaves the numbers as they are",
                      .where = at});
  }
}

}  // namespace detail

SINTER_INLINE Tensor resize(Operand image, ImageSize size, ResizeOptions options) {
  const Where at = image.where;
  const Tensor given = detail::require_image(image, 2, "data::resize");
  const DType dtype = given.dtype();
  if (dtype != u8 && !sinter::detail::is_floating(dtype)) {
    throw DTypeError({.op = "data::resize",
                      .what = "images of this dtype cannot be interpolated",
                      .facts = {{"image", to_string(given)}},
                      .rule = "images are u8 or floating",
                      .fix = "image.to(f32)",
                      .where = at,
                      .see = "dtypes"});
  }
  const amp::ScopedAutocast exact(f32, current_device(), at);
  const DType computed = dtype == f64 ? f64 : f32;
  Tensor result = sinter::detail::cast({given, at}, computed);
  const auto weights = [&](int axis, Extent to) {
    const Tensor w = detail::resize_weights(given.shape()[axis], to, options.antialias, at);
    return sinter::detail::cast({w, at}, computed);
  };
  result = matmul({result, at}, {transpose({weights(-1, size.width), at}, 0, 1), at});
  result = matmul({weights(-2, size.height), at}, {result, at});
  if (dtype == u8) result = round({result, at});
  return sinter::detail::cast({result, at}, dtype);
}

SINTER_INLINE Tensor crop(Operand image, Extent top, Extent left, ImageSize size) {
  const Tensor given = detail::require_image(image, 2, "data::crop");
  return detail::crop_of("data::crop", given, top, left, size, image.where);
}

SINTER_INLINE Tensor center_crop(Operand image, ImageSize size) {
  const Tensor given = detail::require_image(image, 2, "data::center_crop");
  const Extent top = detail::margin(given.shape()[-2], size.height);
  const Extent left = detail::margin(given.shape()[-1], size.width);
  return detail::crop_of("data::center_crop", given, top, left, size, image.where);
}

SINTER_INLINE Tensor horizontal_flip(Operand image) {
  return flip({detail::require_image(image, 2, "data::horizontal_flip"), image.where}, -1);
}

SINTER_INLINE Tensor vertical_flip(Operand image) {
  return flip({detail::require_image(image, 2, "data::vertical_flip"), image.where}, -2);
}

SINTER_INLINE Tensor normalize(Operand image, const std::vector<double>& mean,
                               const std::vector<double>& std) {
  const Where at = image.where;
  Tensor pixels = detail::require_image(image, 3, "data::normalize");
  detail::require_channels(pixels, mean, std, at);
  if (!sinter::detail::is_floating(pixels.dtype())) {
    pixels = div({sinter::detail::cast({pixels, at}, f32), at}, {255.0f, at});
  }
  const DType dtype = pixels.dtype();
  const Tensor centered = sub({pixels, at}, {detail::per_channel(mean, dtype, at), at});
  return div({centered, at}, {detail::per_channel(std, dtype, at), at});
}

}  // namespace sinter::inline SINTER_ABI::data
