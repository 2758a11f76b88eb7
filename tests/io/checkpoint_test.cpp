// test: moved
// The state of modules in files: all of it, bit for bit, or an error and no change.

#include <sinter/io/checkpoint.hpp>
#include <sinter/sinter.hpp>

#include <cstring>
#include <list>

#include "io/support.hpp"
#include "trace/testing.hpp"

namespace sinter::inline SINTER_ABI::io::detail {
std::string renamed(const std::string& name, const std::string& from, const std::string& to);
}  // namespace sinter::inline SINTER_ABI::io::detail

using namespace testing;

namespace {

enum class Kind { first, second };

struct Everything {
  Tensor weight = tensor({1, -2, 3, -4}, {2, 2});
  TensorOf<float, "batch", 2> typed = tensor({5, 6}, {1, 2});
  std::optional<Tensor> bias = vector({7});
  std::optional<Tensor> absent{};
  Tensor undefined{};
  nn::Buffer mean = vector({8, 9});
  Scalar rate = 0.5f;
  Scalar steps = 3;
  std::vector<nn::Linear> layers = std::vector<nn::Linear>(2, nn::Linear(2, 3));
  std::map<std::string, Tensor> table{{"a.b", integers({1, 2})}};
  std::tuple<Tensor, bool> pair{vector({4}), true};
  int width = 7;
  bool training = true;
  Kind kind = Kind::second;
  std::string name = "net";
  SINTER_MODULE(Everything, weight, typed, bias, absent, undefined, mean, rate, steps, layers,
                table, pair, width, training, kind, name)
};

// A module whose state is not there yet.
struct Later {
  Tensor tensor;
  TensorOf<float, "batch", 2> typed;
  std::map<std::string, Tensor> table;
  std::map<std::string, Scalar> rates;
  std::vector<Tensor> history;
  std::list<nn::Buffer> means;
  SINTER_MODULE(Later, tensor, typed, table, rates, history, means)
};

struct Inner {
  Tensor weight = ones({2});
  SINTER_MODULE(Inner, weight)
};
struct Ambiguous {
  std::map<std::string, Inner> a{{"b", {}}};
  std::map<std::string, Tensor> b{};
  SINTER_MODULE(Ambiguous, a, b)
};
struct Outer {
  std::map<std::string, Ambiguous> x{{"a", {}}, {"a.a", {}}};
  SINTER_MODULE(Outer, x)
};

std::string names_of(const std::map<std::string, Tensor>& tensors) {
  std::string result;
  for (const auto& [name, tensor] : tensors) result += name + " ";
  return result;
}

// All state of a module as one text, exactly.
template <class M>
std::string state_of(const M& module) {
  std::string result;
  for (const io::detail::StateSlot& slot : io::detail::state_of(module).slots) {
    result += text(slot.name, ": ");
    if (slot.tensor->defined()) result += text(*slot.tensor, numbers(*slot.tensor));
    result += "\n";
  }
  return result;
}

}  // namespace

TEST_CASE("checkpoint: a file has all state by dotted name, and no plain numbers") {
  const Folder folder;
  const Everything module;
  io::save(folder / "a", module);
  CHECK(names_of(io::load_tensors(folder / "a")) ==
        "bias layers.0.bias layers.0.weight layers.1.bias layers.1.weight mean pair.0 rate steps "
        "table.a.b typed weight ");
  CHECK(numbers(io::load_tensors(folder / "a").at("weight")) == Numbers{1, -2, 3, -4});
}

TEST_CASE("checkpoint: a module gets the state of the one that was saved") {
  const Folder folder;
  Everything saved, loaded;
  saved.weight = tensor({10, 20, 30, not_a_number}, {2, 2});
  saved.typed = tensor({50, 60}, {1, 2});
  saved.mean = vector({80, 90});
  saved.rate = 0.25f;
  saved.steps = 4;
  saved.layers[1].weight = ones({3, 2});
  saved.table["a.b"] = integers({3, 4});
  loaded.width = 8;
  io::save(folder / "a", saved);
  io::load(folder / "a", loaded);
  CHECK(state_of(loaded) == state_of(saved));
  CHECK(loaded.width == 8);
  CHECK(loaded.typed.to_vector() == std::vector<float>{50, 60});
}

TEST_CASE("checkpoint: a Scalar comes back in the dtype that it had, whatever it is now") {
  const Folder folder;
  Everything saved, loaded;
  saved.rate = Scalar(0.1);  // f64
  io::save(folder / "a", saved);
  io::load(folder / "a", loaded);
  CHECK(loaded.rate.dtype() == f64);
  CHECK(loaded.rate.item<double>() == 0.1);
}

TEST_CASE("checkpoint: state that is not there yet is created") {
  const Folder folder;
  Later saved, loaded;
  saved.tensor = integers({1, 2});
  saved.typed = tensor({1, 2, 3, 4}, {2, 2});
  saved.table = {{"x.y", vector({1})}, {"y", vector({2})}};
  saved.rates = {{"z", Scalar(3)}};
  for (int i = 0; i < 11; ++i) saved.history.push_back(full({1}, i));
  saved.means = {vector({5}), vector({6})};
  io::save(folder / "a", saved);
  io::load(folder / "a", loaded);
  CHECK(state_of(loaded) == state_of(saved));
  CHECK(loaded.history.size() == 11);
  CHECK(loaded.history[10].item<int>() == 10);
  CHECK(loaded.table.at("x.y").item<float>() == 1);
  io::save(folder / "a", Later());  // nothing at all
  Later empty;
  io::load(folder / "a", empty);
  CHECK(state_of(empty) == state_of(Later()));
}

TEST_CASE("checkpoint: state that is created has to fit what the type says") {
  const Folder folder;
  const auto refused = [&](const std::map<std::string, Tensor>& tensors) {
    io::save_tensors(folder / "a", tensors);
    Later later;
    std::string report = "nothing was thrown";
    try {
      io::load(folder / "a", later);
    } catch (const UserError& error) {
      report = error.what();
    }
    CHECK(state_of(later) == state_of(Later()));
    return report;
  };
  CHECK(contains(refused({{"typed", zeros({4, 3})}}),
                 "shape typed: f32[4, 3] in the file, f32[batch, 2] in the module"));
  CHECK(contains(refused({{"typed", zeros({2})}}), "shape typed: f32[2]"));
  CHECK(contains(refused({{"typed", zeros({4, 2}, f64)}}), "dtype typed: f64[4, 2]"));
  CHECK(
      contains(refused({{"rates.a", zeros({1})}}), "shape rates.a: f32[1] in the file, a Scalar"));
  CHECK(contains(refused({{"history.1", zeros({1})}}), "unexpected history.1"));
  CHECK(contains(refused({{"history.0", zeros({1})}, {"history.00", zeros({1})}}),
                 "unexpected history.00\n"));
  CHECK(contains(refused({{"table", zeros({1})}}), "unexpected table\n"));
}

TEST_CASE("checkpoint: all that differs is listed in one error, and nothing has changed") {
  const Folder folder;
  Everything module;
  io::save_tensors(folder / "a", {{"weight", ones({2, 3})},
                                  {"typed", ones({1, 2}, f16)},
                                  {"mean", ones({2})},
                                  {"rate", ones({1})},
                                  {"steps", full({}, 9)},
                                  {"layers.2.weight", ones({3, 2})},
                                  {"table.c", ones({1})},
                                  {"absent", ones({1})},
                                  {"pair.0", ones({1})}});
  const std::string before = state_of(module);
  const unsigned line = Where::current().line() + 1;
  const std::string report = report_of<IoError>([&] { io::load(folder / "a", module); });
  CHECK(report == text("io::load: the file does not have the state of this module\n  file  ",
                       folder / "a",
                       "\n  missing bias, layers.0.weight, layers.0.bias, layers.1.weight, "
                       "layers.1.bias, table.a.b\n"
                       "  unexpected absent, layers.2.weight, table.c\n"
                       "  shape weight: f32[2, 3] in the file, f32[2, 2] in the module\n"
                       "  shape rate: f32[1] in the file, f32[] in the module\n"
                       "  dtype typed: f16[1, 2] in the file, f32[1, 2] in the module\n"
                       "  rule  the file has each name of the module, in the same shape and dtype, "
                       "and no other\n  fix   build the module as the one that was saved, or "
                       "say what differs: io::load(path, module, {.strict = false, .prefix = "
                       "\"...\", .renames = {{\"from\", \"to\"}}})\n"
                       "  at    ",
                       __FILE__, ":", line, "\n  see   docs/errors.md#files"));
  CHECK(state_of(module) == before);
}

TEST_CASE("checkpoint: not strict, names that do not fit are returned, and the others loaded") {
  const Folder folder;
  io::save_tensors(folder / "a", {{"weight", vector({1, 2})}, {"more", vector({3})}});
  Inner module;

  const io::LoadResult found = io::load(folder / "a", module, {.strict = false});

  CHECK(found.missing.empty());
  CHECK(found.unexpected == std::vector<std::string>{"more"});
  CHECK(same_bits(module.weight, vector({1, 2})));
  io::save_tensors(folder / "b", {{"more", vector({3})}});
  CHECK(io::load(folder / "b", module, {.strict = false}).missing ==
        std::vector<std::string>{"weight"});
  CHECK(same_bits(module.weight, vector({1, 2})));
  io::save_tensors(folder / "c", {{"weight", vector({1, 2, 3})}});
  CHECK_THROWS_AS(io::load(folder / "c", module, {.strict = false}), ShapeError);
}

TEST_CASE("checkpoint: a submodule is loaded from the file of the whole, and with other names") {
  const Folder folder;
  io::save_tensors(folder / "a",
                   {{"net.encoder.gamma", vector({1, 2})}, {"net.decoder.gamma", vector({3, 4})}});
  Inner module;

  const io::LoadResult found =
      io::load(folder / "a", module, {.prefix = "net.encoder.", .renames = {{"gamma", "weight"}}});

  CHECK(found.missing.empty());
  CHECK(found.unexpected.empty());
  CHECK(same_bits(module.weight, vector({1, 2})));
  const io::LoadOptions both{
      .prefix = "net.",
      .renames = {{"encoder.gamma", "weight"}, {"decoder", ""}, {"gamma", "weight"}}};
  CHECK_THROWS_WITH_AS(io::load(folder / "a", module, both),
                       doctest::Contains("two tensors of the file get one name"), IoError);
  CHECK(same_bits(module.weight, vector({1, 2})));
}

TEST_CASE("checkpoint: a prefix that no name has is refused, with the names that there are") {
  const Folder folder;
  io::save_tensors(folder / "a", {{"model.weight", vector({1, 2})}});
  Inner module;

  MISTAKE(IoError, io::load(folder / "a", module, {.prefix = "net."}), "prefix net.",
          "names model.weight");

  const io::LoadResult found = io::load(folder / "a", module, {.strict = false, .prefix = "net."});
  CHECK(found.missing == std::vector<std::string>{"weight"});
}

TEST_CASE("checkpoint: renames replace whole words between dots") {
  using io::detail::renamed;
  CHECK(renamed("a.b.c", "b", "x.y") == "a.x.y.c");
  CHECK(renamed("ab.b.bb", "b", "x") == "ab.x.bb");
  CHECK(renamed("b.b.b", "b", "x") == "x.x.x");
  CHECK(renamed("model.b", "model", "") == "b");
  CHECK(renamed("a.model.b", "model", "") == "a.b");
  CHECK(renamed("a.b", "a.b", "c") == "c");
  CHECK(renamed("weight", "", "net") == "net.weight");
}

TEST_CASE("checkpoint: shapes alone are a ShapeError, dtypes alone a DTypeError") {
  const Folder folder;
  Inner module;
  io::save_tensors(folder / "a", {{"weight", zeros({3})}});
  MISTAKE(ShapeError, io::load(folder / "a", module), "weight: f32[3]");
  io::save_tensors(folder / "a", {{"weight", zeros({2}, i32)}});
  MISTAKE(DTypeError, io::load(folder / "a", module), "weight: i32[2]");
  CHECK(numbers(module.weight) == Numbers{1, 1});
}

TEST_CASE("checkpoint: a long list of names is cut") {
  const Folder folder;
  std::map<std::string, Tensor> tensors;
  for (int i = 1000; i < 1500; ++i) tensors[text("x", i)] = zeros({1});
  io::save_tensors(folder / "a", tensors);
  Inner module;
  const std::string report = report_of<IoError>([&] { io::load(folder / "a", module); });
  CHECK(contains(report, "x1099 and 400 more\n"));
  CHECK(report.size() < 2000);
}

TEST_CASE("checkpoint: a file that is cut or damaged changes nothing") {
  const Folder folder;
  const Everything saved;
  Everything module;
  module.weight = zeros({2, 2});
  const std::string before = state_of(module);
  io::save(folder / "a", saved);
  const std::string bytes = read_bytes(folder / "a");
  for (std::size_t length = 0; length < bytes.size(); length += 7) {
    write_bytes(folder / "a", bytes.substr(0, length));
    refuses("io::load: ", [&] { io::load(folder / "a", module); });
  }
  refuses("cannot be opened", [&] { io::load(folder / "none", module); });
  CHECK(state_of(module) == before);
}

TEST_CASE("checkpoint: two tensors of one name are refused") {
  const Folder folder;
  Outer outer;
  outer.x["a"].a["a.b"] = {};  // x.a.a.a.b.weight, as that of x["a.a"].a["b"]
  MISTAKE(ValueError, io::save(folder / "a", outer), "two tensors have one name",
          "x.a.a.a.b.weight");
  CHECK(folder.files() == 0);
}
