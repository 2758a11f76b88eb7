// Runs the cases of a family and compares.

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include <sinter/runtime/interpreter/interpret.hpp>

#include "groups.hpp"

namespace reference {

namespace {

struct Variables {
  std::vector<Tensor> list;
  SINTER_MODULE(Variables, list)
};

// What `jobs_of_recording` are while a function is recorded: a function without captures is
// replayed without being run.
const Jobs* jobs_of_recording = nullptr;

Tensor weighted_sum(const std::vector<Tensor>& outputs, const std::vector<Tensor>& weights) {
  Tensor result;
  std::size_t next = 0;
  for (const Tensor& output : outputs) {
    if (!is_floating(output.dtype())) continue;
    const Tensor part = sum(output * weights.at(next++));
    result = result.defined() ? result + part : part;
  }
  return result;
}

// The outputs of a case, and its gradients.
std::vector<Tensor> run_job(const Job& job, const Tensor*& argument) {
  std::vector<Tensor> inputs, weights;
  for (std::size_t i = 0; i < job.item->inputs.size(); ++i) inputs.push_back(*argument++);
  for (const Array& weight : job.item->cotangents) {
    if (weight.defined()) weights.push_back(*argument++);
  }
  std::vector<Tensor> result = job.row->run(inputs, job.item->options).list;
  if (!job.item->has_gradients()) return result;
  Variables variables{inputs};
  const auto both = value_and_grad(variables, [&] {
    return weighted_sum(job.row->run(variables.list, job.item->options).list, weights);
  });
  for (const auto& [name, gradient] : both.gradients) result.push_back(gradient);
  return result;
}

std::vector<Tensor> run_jobs(const std::vector<Tensor>& arguments) {
  std::vector<Tensor> results;
  const Tensor* argument = arguments.data();
  for (const Job& job : *jobs_of_recording) {
    for (Tensor& result : run_job(job, argument)) results.push_back(std::move(result));
  }
  return results;
}

Tensor argument_of(const Array& array, bool with_marks) {
  Tensor result = array.tensor.to(current_device());
  for (std::size_t d = 0; with_marks && d < array.varies.size(); ++d) {
    if (array.varies[d]) mark_dynamic(result, static_cast<int>(d));
  }
  return result;
}

std::vector<Tensor> arguments_of(const Jobs& jobs, bool with_marks) {
  std::vector<Tensor> result;
  for (const Job& job : jobs) {
    for (const Array& input : job.item->inputs) result.push_back(argument_of(input, with_marks));
    for (const Array& weight : job.item->cotangents) {
      if (weight.defined()) result.push_back(argument_of(weight, false));
    }
  }
  return result;
}

void compare(const Job& job, const Tensor*& result) {
  const auto check = [&](const Array& expected, const std::string& what, std::size_t number) {
    const std::string differs = difference(*job.item, expected, *result++, what[0] == 'g');
    INFO(job.item->text << ": " << what << " " << number << ": " << differs);
    CHECK(differs == "");
  };
  for (std::size_t i = 0; i < job.item->outputs.size(); ++i) {
    check(job.item->outputs[i], "output", i);
  }
  for (std::size_t i = 0; i < job.item->gradients.size(); ++i) {
    if (job.item->gradients[i].defined()) check(job.item->gradients[i], "gradient", i);
  }
}

std::size_t results_of(const Job& job) {
  std::size_t result = job.item->outputs.size();
  for (const Array& gradient : job.item->gradients) result += gradient.defined();
  return result;
}

void compare(const Jobs& jobs, const std::vector<Tensor>& results) {
  std::size_t expected = 0;
  for (const Job& job : jobs) expected += results_of(job);
  REQUIRE(results.size() == expected);
  const Tensor* result = results.data();
  for (const Job& job : jobs) {
    if (!job.is_repeated) compare(job, result);
    if (job.is_repeated) result += results_of(job);
  }
}

// What call number `round` of the compiled function is of: one job of each group.
Jobs round_of(const std::vector<Group>& groups, std::size_t round) {
  Jobs result;
  for (const Group& group : groups) {
    result.push_back(group[std::min(round, group.size() - 1)]);
    result.back().is_repeated = round >= group.size();
  }
  return result;
}

// While it lives, interpreting is an error: nothing passes by falling back.
struct Compiling {
  Compiling() { runtime::interpreter_is_forbidden() = true; }
  ~Compiling() { runtime::interpreter_is_forbidden() = false; }
};

enum class Mode { eager, fused, symbolic, dynamic };

using Round = std::pair<Jobs, std::vector<Tensor>>;  // and what they gave

// Computes all of `results` at once, which is one program where eager ones are compiled: it is
// asked for none of their elements, which depend on all.
void evaluate_together(const std::vector<Tensor>& results) {
  std::vector<Tensor> nothing;
  for (const Tensor& result : results) {
    if (!result.defined()) continue;
    nothing.push_back(slice(reshape(result, {-1}), 0, 0, 0).to(f32));
  }
  evaluate(concatenate(nothing));
}

// Jobs as they are written, all of them in one round.
std::vector<Round> run_eagerly(const std::vector<Group>& groups) {
  Jobs jobs = round_of(groups, 0);
  jobs_of_recording = &jobs;
  std::vector<Tensor> results = run_jobs(arguments_of(jobs, false));
  evaluate_together(results);
  return {{std::move(jobs), std::move(results)}};
}

// Rounds of calls of one compiled function, which has to have one variant.
std::vector<Round> run_compiled(const std::vector<Group>& groups, Mode mode) {
  std::size_t rounds = 0;
  for (const Group& group : groups) rounds = std::max(rounds, group.size());
  const bool with_marks = mode == Mode::symbolic;
  const Dynamic dynamic = with_marks              ? Dynamic::automatic
                          : mode == Mode::dynamic ? Dynamic::on
                                                  : Dynamic::off;
  const auto compiled =
      compile(run_jobs, {.dynamic = dynamic, .fullgraph = true, .recompile_limit = 100});
  std::vector<Round> done;
  for (std::size_t round = 0; round < rounds; ++round) {
    Jobs jobs = round_of(groups, round);
    jobs_of_recording = &jobs;
    const auto arguments = arguments_of(jobs, with_marks);
    const Compiling compiling;
    done.push_back({jobs, compiled(arguments)});
  }
  if (compiled.stats().variants == 1) return done;
  throw std::runtime_error(text(compiled.stats().variants, " variants of ", rounds,
                                " calls, because of ", compiled.explain().recompiles));
}

// What went wrong, if it did before there was anything to compare.
std::string try_groups(const std::vector<Group>& groups, Mode mode) {
  std::vector<Round> done;
  try {
    done = mode == Mode::eager ? run_eagerly(groups) : run_compiled(groups, mode);
  } catch (const std::exception& error) {
    return error.what();
  }
  for (const auto& [jobs, results] : done) compare(jobs, results);
  return "";
}

// Compiles many at once, which saves runs of the compiler; if that fails, each alone.
void check_groups(const std::vector<Group>& groups, Mode mode) {
  const std::string failure = try_groups(groups, mode);
  if (failure.empty()) return;
  if (groups.size() == 1) {
    INFO(groups[0][0].item->text << ": " << failure);
    CHECK(failure == "");
    return;
  }
  const auto middle = groups.begin() + static_cast<std::ptrdiff_t>(groups.size() / 2);
  check_groups({groups.begin(), middle}, mode);
  check_groups({middle, groups.end()}, mode);
}

// A call takes a job of each group, so that groups with few are repeated while others go on: in a
// batch, none has half as many as another or fewer.
void check_in_batches(const std::vector<Group>& groups, Mode mode) {
  constexpr std::ptrdiff_t most = 48;
  for (auto first = groups.begin(); first != groups.end();) {
    auto last = first;
    while (last != groups.end() && last - first < most && 2 * last->size() > first->size()) ++last;
    check_groups({first, last}, mode);
    first = last;
  }
}

}  // namespace

std::vector<Row> joined(const std::vector<std::vector<Row>>& tables) {
  std::vector<Row> result;
  for (const auto& rows : tables) result.insert(result.end(), rows.begin(), rows.end());
  return result;
}

void check_names(const Table& table) {
  std::set<std::string> names;
  for (const Case& item : cases_of(table.family)) names.insert(item.function);
  for (const std::string& name : names) {
    INFO(name << " of tests/data/torch has no row");
    CHECK(row_of(table, name) != nullptr);
  }
  for (const Row& row : table.rows) {
    INFO(row.name << " has no case in tests/data/torch");
    CHECK(names.count(std::string(row.name)) == 1);
  }
}

void check_eager(const Table& table) {
  std::vector<Group> groups;
  for (const Job& job : jobs_of(table)) groups.push_back({job});
  check_in_batches(groups, Mode::eager);
}

void check_fused(const Table& table) { check_in_batches(fused_groups(table), Mode::fused); }

void check_symbolic(const Table& table) {
  check_in_batches(symbolic_groups(table), Mode::symbolic);
}

void check_dynamic(const Table& table) { check_in_batches(unmarked_groups(table), Mode::dynamic); }

}  // namespace reference
