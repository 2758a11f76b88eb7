// The functions of cuBLASLt. The host computes a product when its stream reaches it.

#include "cublaslt.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include <sinter/base/hash.hpp>
#include <sinter/base/text.hpp>

#include "machine.hpp"
#include "reports.hpp"

namespace emulator {

namespace {

using sinter::detail::CublasLt;
using Handle = void*;

constexpr int not_initialized = 1, invalid_value = 7, execution_failed = 13, not_supported = 15;
constexpr std::uint64_t mark = 0x656d756c61746564;
constexpr int most_answers = 3;  // of the heuristic
constexpr std::size_t usual_workspace = std::size_t{1} << 20;
constexpr std::int64_t long_sum = 256;  // from this depth on an algorithm needs workspace

// The contents of an algorithm, which is opaque to callers.
struct Algorithm {
  std::uint64_t mark = 0, product = 0;
  std::uint32_t alignments[4]{};
  std::uint64_t bias_alignment = 0, workspace = 0;
  std::uint64_t answer = 1, rest = 0;
};
static_assert(sizeof(Algorithm) == sizeof(sinter::detail::CublasLtChoice::algorithm));

template <class T>
std::map<void*, std::unique_ptr<T>>& objects() {
  static auto& instance = *new std::map<void*, std::unique_ptr<T>>;
  return instance;
}

template <class T>
int create(Handle* result, const T& value) {
  auto one = std::make_unique<T>(value);
  *result = one.get();
  objects<T>()[*result] = std::move(one);
  return 0;
}

template <class T>
T* find(Handle handle) {
  const auto found = objects<T>().find(handle);
  return found == objects<T>().end() ? nullptr : found->second.get();
}

template <class T>
int destroy(Handle handle) {
  const std::scoped_lock lock(machine().mutex);
  if (objects<T>().erase(handle) == 1) return 0;
  add_report("destroyed what cuBLASLt has not made, or twice");
  return invalid_value;
}

int refuse(const std::string& what) {
  add_report("cuBLASLt: " + what);
  return invalid_value;
}

// The size must be that of the attribute.
template <class T>
int set(T& attribute, const void* value, std::size_t bytes) {
  if (bytes != sizeof(T)) return refuse(sinter::detail::text("an attribute of ", bytes, " bytes"));
  std::memcpy(&attribute, value, bytes);
  return 0;
}

int create_handle(Handle* handle) {
  const std::scoped_lock lock(machine().mutex);
  if (!machine().settings.cublaslt || machine().current() == nullptr) return not_initialized;
  return create(handle, LibraryHandle{machine().current()->arena.device()});
}

int create_description(Handle* description, int compute, int scale) {
  const std::scoped_lock lock(machine().mutex);
  return create(description, LibraryDescription{.compute = compute, .scale = scale});
}

int set_description(Handle handle, int attribute, const void* value, std::size_t bytes) {
  const std::scoped_lock lock(machine().mutex);
  auto* const one = find<LibraryDescription>(handle);
  if (one == nullptr) return refuse("a description that is none");
  switch (attribute) {
    case CublasLt::transpose_a:
      return set(one->transposes_a, value, bytes);
    case CublasLt::transpose_b:
      return set(one->transposes_b, value, bytes);
    case CublasLt::epilogue:
      return set(one->epilogue, value, bytes);
    case CublasLt::bias_pointer:
      return set(one->bias, value, bytes);
    default:
      return refuse(sinter::detail::text("an unknown attribute ", attribute, " of a description"));
  }
}

int create_layout(Handle* layout, int type, std::uint64_t rows, std::uint64_t columns,
                  std::int64_t leading) {
  const std::scoped_lock lock(machine().mutex);
  return create(layout, LibraryLayout{.type = type,
                                      .rows = static_cast<std::int64_t>(rows),
                                      .columns = static_cast<std::int64_t>(columns),
                                      .leading = leading});
}

int set_layout(Handle handle, int attribute, const void* value, std::size_t bytes) {
  const std::scoped_lock lock(machine().mutex);
  auto* const one = find<LibraryLayout>(handle);
  if (one == nullptr) return refuse("a layout that is none");
  if (attribute == CublasLt::batch_count) return set(one->batch, value, bytes);
  if (attribute == CublasLt::batch_stride) return set(one->step, value, bytes);
  return refuse(sinter::detail::text("an unknown attribute ", attribute, " of a layout"));
}

int create_preference(Handle* preference) {
  const std::scoped_lock lock(machine().mutex);
  return create(preference, LibraryPreference());
}

int set_preference(Handle handle, int attribute, const void* value, std::size_t bytes) {
  const std::scoped_lock lock(machine().mutex);
  auto* const one = find<LibraryPreference>(handle);
  if (one == nullptr) return refuse("a preference that is none");
  if (attribute == CublasLt::most_workspace_bytes) return set(one->workspace, value, bytes);
  if (attribute == CublasLt::reductions) return set(one->reductions, value, bytes);
  if (attribute >= CublasLt::alignment_a && attribute <= CublasLt::alignment_d) {
    const auto matrix = static_cast<std::size_t>(attribute - CublasLt::alignment_a);
    return set(one->alignments[matrix], value, bytes);
  }
  return refuse(sinter::detail::text("an unknown attribute ", attribute, " of a preference"));
}

// The properties of a product that an algorithm is valid for: everything but addresses.
std::uint64_t number_of(const LibraryProduct& product) {
  sinter::detail::Hasher hasher;
  const auto add = [&](auto value) { hasher.add(static_cast<std::uint64_t>(value)); };
  const LibraryDescription& one = product.description;
  add(one.compute), add(one.scale), add(one.transposes_a), add(one.transposes_b), add(one.epilogue);
  for (const LibraryLayout& layout : product.layouts) {
    add(layout.type), add(layout.rows), add(layout.columns), add(layout.leading);
    add(layout.batch), add(layout.step);
  }
  return hasher.result().low;
}

std::uint64_t alignment_of(std::uint64_t address) {
  address |= 256;
  return address & (~address + 1);
}

// Reads the product that the handles describe; false, with a report, if they are invalid.
bool describe(LibraryProduct& product, Handle handle, Handle description,
              const std::array<Handle, 4>& layouts) {
  const auto* const owner = find<LibraryHandle>(handle);
  const auto* const what = find<LibraryDescription>(description);
  bool found = owner != nullptr && what != nullptr;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto* const layout = find<LibraryLayout>(layouts[i]);
    found = found && layout != nullptr;
    if (layout != nullptr) product.layouts[i] = *layout;
  }
  if (!found) return refuse("a product of handles that are none") == 0;
  product.description = *what;
  product.device = owner->device;
  const std::string mistake = mistake_in(product);
  return mistake.empty() || refuse(mistake) == 0;
}

int heuristic(Handle handle, Handle description, Handle a, Handle b, Handle c, Handle d,
              Handle preference, int asked, sinter::detail::CublasLtChoice* choices, int* given) {
  const std::scoped_lock lock(machine().mutex);
  ++machine().heuristics;
  LibraryProduct product;
  const auto* const wish = find<LibraryPreference>(preference);
  if (!describe(product, handle, description, {a, b, c, d}) || wish == nullptr || asked < 1) {
    return invalid_value;
  }
  *given = 0;
  if (!is_supported(product)) return not_supported;
  Algorithm algorithm{.mark = mark, .product = number_of(product)};
  std::copy(wish->alignments.begin(), wish->alignments.end(), algorithm.alignments);
  algorithm.bias_alignment =
      alignment_of(reinterpret_cast<std::uintptr_t>(product.description.bias));
  const bool roomy = product.depth() >= long_sum && wish->workspace >= usual_workspace;
  algorithm.workspace = roomy ? usual_workspace : 0;
  *given = std::min(asked, most_answers);
  for (int i = 0; i < *given; ++i, ++algorithm.answer) {
    choices[i] = {.workspace_bytes = algorithm.workspace};
    std::memcpy(choices[i].algorithm, &algorithm, sizeof(algorithm));
  }
  return 0;
}

// Why the algorithm cannot compute the product; "" if it can.
std::string misuse_of(const Algorithm& algorithm, const LibraryProduct& product) {
  if (algorithm.mark != mark) return "an algorithm that no heuristic gave";
  if (algorithm.product != number_of(product)) return "the algorithm of another product";
  for (std::size_t i = 0; i < 4; ++i) {
    if (product.addresses[i] % algorithm.alignments[i] == 0) continue;
    return sinter::detail::text("matrix ", std::string(1, "abcd"[i]), " is not aligned to ",
                                algorithm.alignments[i],
                                " bytes, as was promised: ", where(product.addresses[i]));
  }
  const auto bias = reinterpret_cast<std::uintptr_t>(product.description.bias);
  if (product.has(CublasLt::epilogue_bias) && bias % algorithm.bias_alignment != 0) {
    return sinter::detail::text("the bias is not aligned as it was: ", where(bias));
  }
  if (product.workspace_bytes < algorithm.workspace) return "too little workspace";
  return product.workspace % 256 == 0 ? "" : "a workspace that is not aligned";
}

double number_at(const void* address, int type) {
  return type == CublasLt::data_f64 ? *static_cast<const double*>(address)
                                    : static_cast<double>(*static_cast<const float*>(address));
}

int multiply(Handle handle, Handle description, const void* alpha, const void* a, Handle a_layout,
             const void* b, Handle b_layout, const void* beta, const void* c, Handle c_layout,
             void* d, Handle d_layout, const void* algorithm, void* workspace,
             std::size_t workspace_bytes, Handle stream_handle) {
  const std::scoped_lock lock(machine().mutex);
  LibraryProduct product;
  if (!describe(product, handle, description, {a_layout, b_layout, c_layout, d_layout})) {
    return invalid_value;
  }
  const std::array<const void*, 4> addresses{a, b, c, d};
  for (std::size_t i = 0; i < 4; ++i) {
    product.addresses[i] = reinterpret_cast<std::uintptr_t>(addresses[i]);
  }
  product.alpha = number_at(alpha, product.description.scale);
  product.beta = number_at(beta, product.description.scale);
  product.workspace = reinterpret_cast<std::uintptr_t>(workspace);
  product.workspace_bytes = workspace_bytes;
  Algorithm chosen;
  std::memcpy(&chosen, algorithm, sizeof(chosen));
  if (const std::string misuse = misuse_of(chosen, product); !misuse.empty()) return refuse(misuse);
  product.answer = static_cast<int>(chosen.answer);
  Stream* const stream = stream_of(stream_handle);
  if (stream == nullptr || stream->device != product.device) return refuse("another GPU's stream");
  if (stream->capture != nullptr) {
    return capture_product(*stream, product) == 0 ? 0 : execution_failed;
  }
  const Device& device = *machine().devices[static_cast<std::size_t>(stream->device)];
  if (device.error != 0) return execution_failed;
  enqueue(*stream, [product] { return run_product(product); });
  return 0;
}

const char* status_string(int status) {
  return status == not_initialized    ? "CUBLAS_STATUS_NOT_INITIALIZED"
         : status == invalid_value    ? "CUBLAS_STATUS_INVALID_VALUE"
         : status == execution_failed ? "CUBLAS_STATUS_EXECUTION_FAILED"
         : status == not_supported    ? "CUBLAS_STATUS_NOT_SUPPORTED"
                                      : "CUBLAS_STATUS_INTERNAL_ERROR";
}

template <class... T>
std::size_t forget() {
  const std::size_t count = (objects<T>().size() + ...);
  (objects<T>().clear(), ...);
  return count;
}

}  // namespace

std::size_t forget_library_objects() {
  return forget<LibraryHandle, LibraryDescription, LibraryLayout, LibraryPreference>();
}

const CublasLt& cublaslt_table() {
  static const CublasLt instance = {.version = [] { return std::size_t{130000}; },
                                    .status_string = status_string,
                                    .create = create_handle,
                                    .destroy = destroy<LibraryHandle>,
                                    .create_description = create_description,
                                    .set_description = set_description,
                                    .destroy_description = destroy<LibraryDescription>,
                                    .create_layout = create_layout,
                                    .set_layout = set_layout,
                                    .destroy_layout = destroy<LibraryLayout>,
                                    .create_preference = create_preference,
                                    .set_preference = set_preference,
                                    .destroy_preference = destroy<LibraryPreference>,
                                    .heuristic = heuristic,
                                    .multiply = multiply};
  return instance;
}

}  // namespace emulator
