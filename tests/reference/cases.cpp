// Reads the files that tests/data/torch/recorder.py writes.

#include "cases.hpp"

#include <cstdlib>
#include <map>
#include <sstream>

namespace reference {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> result;
  std::string part;
  std::istringstream stream(text);
  while (std::getline(stream, part, separator)) result.push_back(part);
  if (!text.empty() && text.back() == separator) result.emplace_back();
  return result;
}

DType dtype_named(const std::string& name) {
  for (std::size_t i = 0; i < dtype_table.size(); ++i) {
    if (dtype_table[i].name == name) return static_cast<DType>(i);
  }
  throw std::runtime_error("no dtype is called " + name);
}

// The flat arrays of a family. bf16 is stored as the same numbers in f32.
class Flat {
 public:
  explicit Flat(const std::string& path) : tensors_(io::load_npz(path)) {
    const auto wide = tensors_.find("bf16");
    if (wide == tensors_.end()) return;
    const auto numbers = wide->second.to_vector<float>();
    const std::vector<bfloat16> narrow(numbers.begin(), numbers.end());
    wide->second = from_vector(narrow, {narrow.size()});
  }

  // A line for each case.
  std::string cases() const {
    const auto letters = tensors_.at("cases").to_vector<std::uint8_t>();
    return {letters.begin(), letters.end()};
  }

  Tensor slice(DType dtype, std::int64_t start, const std::vector<std::int64_t>& sizes) const {
    const Shape shape{std::span<const std::int64_t>(sizes)};
    const auto count = static_cast<std::size_t>(numel(shape).number());
    return visit_dtype(dtype, [&]<class T>(T) {
      const T* elements = tensors_.at(to_string(dtype)).template data<T>();
      return from_bytes(elements + start, count * sizeof(T), dtype, shape, Where::current());
    });
  }

 private:
  std::map<std::string, Tensor> tensors_;
};

// "f64[2*,3]@7"
Array parse_array(const std::string& text, const Flat& flat) {
  Array result;
  if (text == "-") return result;
  const auto open = text.find('['), close = text.find(']');
  result.dtype = dtype_named(text.substr(0, open));
  for (const std::string& size : split(text.substr(open + 1, close - open - 1), ',')) {
    result.sizes.push_back(std::strtoll(size.c_str(), nullptr, 10));
    result.varies.push_back(size.back() == '*');
  }
  const std::int64_t start = std::strtoll(text.c_str() + close + 2, nullptr, 10);
  result.tensor = flat.slice(result.dtype, start, result.sizes);
  return result;
}

Case parse_case(const std::string& line, const Flat& flat) {
  std::vector<std::string> words = split(line, ' ');
  std::vector<std::string> head = split(words[0], ';');
  Case result{words[0], head[0], Options({head.begin() + 1, head.end()})};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto equals = words[i].find('=');
    const std::string key = words[i].substr(0, equals), value = words[i].substr(equals + 1);
    if (key == "length") result.length = std::strtod(value.c_str(), nullptr);
    if (key == "accuracy") result.accuracy = std::strtod(value.c_str(), nullptr);
    if (key == "in") result.inputs.push_back(parse_array(value, flat));
    if (key == "out") result.outputs.push_back(parse_array(value, flat));
    if (key == "dout") result.cotangents.push_back(parse_array(value, flat));
    if (key == "grad") result.gradients.push_back(parse_array(value, flat));
  }
  for (const Array& input : result.inputs) result.text += " " + to_string(input.tensor);
  return result;
}

std::vector<Case> read_cases(std::string_view family) {
  const ScopedDevice host(cpu());  // they outlive the GPU that a case runs on
  const bool is_complete = family == "samples" && complete_samples() != nullptr;
  const std::string folder =
      is_complete ? complete_samples() : SINTER_SOURCE_DIR "/tests/data/torch";
  const std::string path = text(folder, "/", family);
  const Flat flat(path + ".npz");
  std::vector<Case> result;
  for (const std::string& line : split(flat.cases(), '\n')) {
    if (line.empty()) continue;
    result.push_back(parse_case(line, flat));
    result.back().text += text(" (line ", result.size(), ")");
  }
  if (result.empty()) throw std::runtime_error(path + ".npz has no cases");
  return result;
}

}  // namespace

const char* complete_samples() { return std::getenv("SINTER_SAMPLES"); }

const std::vector<Case>& cases_of(std::string_view family) {
  static auto& families = *new std::map<std::string, std::vector<Case>, std::less<>>;
  const auto known = families.find(family);
  if (known != families.end()) return known->second;
  return families.emplace(std::string(family), read_cases(family)).first->second;
}

std::string variant_of(const Case& item) {
  bool varies = false;
  std::string result = item.text.substr(0, item.text.find(' '));
  for (const Array& input : item.inputs) {
    result += " " + to_string(input.dtype);
    for (std::size_t d = 0; d < input.sizes.size(); ++d) {
      varies = varies || input.varies[d];
      result += input.varies[d] ? " *" : text(" ", input.sizes[d]);
    }
  }
  result += text(" ", item.outputs.size(), item.has_gradients() ? " gradients" : "");
  return varies ? result : "";
}

double Options::number(std::size_t i) const { return std::strtod(text(i).c_str(), nullptr); }

int Options::integer(std::size_t i) const { return std::atoi(text(i).c_str()); }

Operand Options::operand(std::size_t i) const {
  const bool is_integer = text(i).find_first_of(".en") == std::string::npos;
  return is_integer ? Operand(integer(i)) : Operand(number(i));
}

std::vector<std::string> Options::list(std::size_t i) const { return split(text(i), ':'); }

std::vector<std::int64_t> Options::integers(std::size_t i) const {
  std::vector<std::int64_t> result;
  for (const auto& word : list(i)) result.push_back(std::strtoll(word.c_str(), nullptr, 10));
  return result;
}

std::vector<int> Options::ints(std::size_t i) const {
  const auto wide = integers(i);
  std::vector<int> result;
  for (const std::int64_t value : wide) result.push_back(static_cast<int>(value));
  return result;
}

Shape Options::shape(std::size_t i) const {
  return Shape(std::span<const std::int64_t>(integers(i)));
}

DType Options::dtype(std::size_t i) const { return dtype_named(text(i)); }

Reduction Options::reduction(std::size_t i) const {
  if (text(i) == "none") return Reduction::none;
  if (text(i) == "batchmean") return Reduction::batchmean;
  return text(i) == "sum" ? Reduction::sum : Reduction::mean;
}

}  // namespace reference
