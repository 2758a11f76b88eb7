// Prints a hash of everything that the compiler makes of some thousand graphs: the graph after the
// passes, the plan, and the C++ and CUDA texts. tests/texts/compare compares two commits by it.
//
//   emitted_texts [--renames FILE] [--programs N] [--print CASE] [--counts host|gpu]
//
// FILE has a pair of words a line, old and new: identifiers in texts that one commit renamed.
// With --print, the texts of that case are printed instead of hashes; with --counts, the kernels,
// launches and bytes of each plan, where all unknown sizes are 64.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include <sinter/base/hash.hpp>
#include <sinter/codegen/cpp/emit_cpp.hpp>
#include <sinter/codegen/cpp/function.hpp>
#include <sinter/codegen/cuda/control.hpp>
#include <sinter/codegen/cuda/emit_cuda.hpp>
#include <sinter/codegen/cuda/tune/candidates.hpp>
#include <sinter/codegen/tune/candidates.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/pass/pipeline.hpp>
#include <sinter/schedule/gpu_target.hpp>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/launch/call_invariant.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

#include "models.hpp"
#include "random/make.hpp"

namespace {

using namespace emitted;
using Source = sinter::detail::Source;

std::map<std::string, std::string> renames;
std::string printed;  // the case to print
std::string counted;  // the machine whose plans are counted

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// `text` without its comments and what is blank without them, with other identifiers by `names`.
std::string normalised(const std::string& text, const std::map<std::string, std::string>& names) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), text.size());
    } else if (is_word(text[i])) {
      std::size_t end = i;
      while (end < text.size() && is_word(text[end])) ++end;
      std::string word = text.substr(i, end - i);
      if (const auto renamed = renames.find(word); renamed != renames.end()) word = renamed->second;
      if (const auto known = names.find(word); known != names.end()) word = known->second;
      result += word;
      i = end;
    } else if (text[i] == '\n') {
      result.resize(result.find_last_not_of(" \n") + 1);
      result += text[i++];
    } else {
      result += text[i++];
    }
  }
  return result;
}

class Printer {
 public:
  explicit Printer(std::string name) : name_(std::move(name)) {}

  void add(const std::string& what, const std::string& text) {
    if (printed == name_) {
      std::printf("==== %s\n%s\n", what.c_str(), text.c_str());
    } else if (printed.empty() && counted.empty()) {
      Hasher hasher;
      hasher.add(text);
      std::printf("%s\t%s\t%s\n", name_.c_str(), what.c_str(), to_string(hasher.result()).c_str());
    }
  }

  /// The texts of the kernels of one plan and what they call, as one.
  void add_sources(const std::string& what, const Vector<Source>& sources,
                   const std::string& prelude, const std::string& launches = {}) {
    std::map<std::string, std::string> names;
    for (const Source& source : sources) {
      names.emplace(source.name, "kernel" + std::to_string(names.size()));
    }
    std::string all = normalised(prelude, names);
    for (const Source& source : sources) all += normalised(source.text, names);
    add(what, all + launches);
  }

  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

void add(std::string& to, const schedule::Kernel& kernel) {
  to += "kernel " + to_string(hash_with_symbols(kernel)) + text(" parts ", kernel.batch_capacity);
  for (const auto& argument : kernel.arguments) {
    to += text(" argument ", static_cast<int>(argument.access), " ", argument.elements,
               argument.call_invariant ? " constant" : "");
  }
  to += '\n';
  for (const schedule::Kernel& last : kernel.finalizers) add(to, last);
}

void add(std::string& to, const schedule::Launch& launch) {
  to += text("launch ", launch.kernel, " control ", launch.control, " work ", launch.work,
             " bytes ", launch.bytes_read, " ", launch.bytes_written, " operations ",
             launch.operations, " checks ", launch.checks.size(), launch.is_checked ? " done" : "",
             " lines ", launch.lines.size());
  for (const std::int32_t buffer : launch.buffers) to += text(" buffer ", buffer);
  for (const Extent& size : launch.sizes) to += text(" size ", size);
  for (const auto& entry : launch.entries) {
    to += text(" entry ", entry.kernel, " ", entry.buffers, " ", entry.sizes, " ", entry.work, " ",
               static_cast<int>(entry.phase));
  }
  to += '\n';
}

void add(std::string& to, const schedule::Plan& plan) {
  for (const schedule::Kernel& kernel : plan.kernels) add(to, kernel);
  for (const schedule::Launch& launch : plan.launches) add(to, launch);
  for (const auto& buffer : plan.buffers) {
    to += text("buffer ", buffer.dtype, " ", buffer.elements, " ", static_cast<int>(buffer.home),
               " ", buffer.position, " ", buffer.offset, "\n");
  }
  for (const std::int32_t input : plan.inputs) to += text(" input ", input);
  for (const std::int32_t output : plan.outputs) to += text(" output ", output);
  for (const auto& update : plan.sparse_updates)
    to += text(" begun ", update.input, " ", update.output);
  to += text(" arena ", plan.arena_bytes, " controls ", plan.controls.size(), "\n");
  for (const schedule::Plan& body : plan.bodies) add(to, body);
}

std::string text_of(const schedule::Plan& plan) {
  std::string result;
  add(result, plan);
  return result;
}

std::int64_t value(Extent extent) {
  return evaluate(extent, [](Extent) { return std::int64_t{64}; });
}

struct Counts {
  std::size_t kernels = 0, launches = 0;
  std::int64_t bytes = 0;

  void add(const schedule::Plan& plan) {
    kernels += plan.kernels.size();
    launches += plan.launches.size();
    for (const auto& one : plan.launches) bytes += value(one.bytes_read) + value(one.bytes_written);
    for (const schedule::Plan& body : plan.bodies) add(body);
  }
};

// The recorded graph identifies the case: another commit may draw other programs.
void print_counts(const std::string& name, const Graph& recorded, const schedule::Plan& plan) {
  Counts counts;
  counts.add(plan);
  Hasher hasher;
  hasher.add(text(recorded));
  std::printf("%s\t%s\t%zu\t%zu\t%lld\n", name.c_str(), to_string(hasher.result()).c_str(),
              counts.kernels, counts.launches, static_cast<long long>(counts.bytes));
}

struct Host {
  const char* name;
  codegen::CppOptions options;
};

void add_host(Printer& to, const Graph& graph, const Case& one, bool strict, bool candidates) {
  schedule::Plan plan = schedule::plan(graph, {.strict = strict,
                                               .updates = one.updates,
                                               .row_tiles = true,
                                               .target = schedule::host_target()});
  schedule::mark_call_invariant(plan, one.updates);
  if (counted == "host") return print_counts(to.name(), one.graph, plan);
  to.add("host plan", text_of(plan));
  const auto with = [&](schedule::VectorUnit vectors) {
    return codegen::CppOptions{.target = schedule::host_target(vectors), .strict = strict};
  };
  const Host machines[]{{"C++ of 512 bits, tiles", with({512, true, true})},
                        {"C++ of 512 bits", with({512})},
                        {"C++ of 256 bits", with({256})},
                        {"C++ without vectors", with({0})}};
  for (const Host& machine : machines) {
    Vector<Source> sources;
    std::string kept;
    for (const schedule::Kernel& kernel : plan.kernels) {
      sources.push_back(codegen::emit_cpp(kernel, machine.options));
      for (const auto& each : codegen::packed_inputs_of(kernel, machine.options)) {
        kept += text(each.input, " ", each.bytes, " ", to_string(each.key), "\n");
      }
    }
    to.add_sources(machine.name, sources, codegen::cpp_prelude(sources), kept);
  }
  if (!candidates) return;
  Vector<Source> sources;
  for (const schedule::Kernel& kernel : plan.kernels) {
    for (auto& each : codegen::candidates(kernel, machines[1].options)) {
      sources.push_back(each.source);
    }
  }
  to.add_sources("candidates", sources, codegen::cpp_prelude(sources));
}

void add_gpu(Printer& to, const Graph& graph, const Case& one, bool strict, bool candidates) {
  const schedule::Plan plan = schedule::plan(graph, {.strict = strict,
                                                     .updates = one.updates,
                                                     .row_tiles = !strict,
                                                     .target = schedule::gpu_target()});
  if (counted == "gpu") return print_counts(to.name(), one.graph, plan);
  to.add("GPU plan", text_of(plan));
  for (const bool in_body : {false, true}) {
    const codegen::CudaOptions options{
        .target = schedule::gpu_target(), .strict = strict, .tf32 = !strict, .in_body = in_body};
    Vector<Source> sources;
    std::string launches;
    for (const schedule::Kernel& kernel : plan.kernels) {
      sources.push_back(codegen::emit_cuda(kernel, options));
      const codegen::CudaLaunch launch = codegen::cuda_launch(kernel, options);
      launches += text("blocks ", launch.blocks, " threads ", launch.threads, " shared ",
                       launch.shared_bytes, "\n");
    }
    to.add_sources(in_body ? "CUDA in bodies" : "CUDA", sources, codegen::cuda_prelude(sources),
                   launches);
  }
  if (!candidates) return;
  Vector<Source> sources;
  for (const schedule::Kernel& kernel : plan.kernels) {
    for (auto& each : codegen::cuda_candidates(kernel, {.strict = strict})) {
      sources.push_back(each.source);
    }
  }
  to.add_sources("CUDA candidates", sources, codegen::cuda_prelude(sources));
}

void add(const Case& one, bool strict, bool candidates) {
  const std::string name = one.name + (strict ? ", strict" : "");
  if (!printed.empty() && printed != name) return;
  Printer to(name);
  try {
    Graph graph = pass::optimize(one.graph, {.strict = strict});
    to.add("GPU graph", text(graph));
    if (counted != "host") add_gpu(to, graph, one, strict, candidates);
    if (counted == "gpu") return;
    graph = pass::optimize(one.graph, {.strict = strict, .wide_products = strict});
    to.add("host graph", text(graph));
    add_host(to, graph, one, strict, candidates);
  } catch (const std::exception& error) {
    to.add("error", error.what());
  }
}

void add_programs(int count) {
  random_program::Source source(1);
  for (int i = 0; i < count; ++i) {
    const random_program::Program program = source.next();
    add({"program " + std::to_string(i), random_program::make(program)}, program.strict,
        i % 8 == 0);
  }
}

void read_renames(const char* file) {
  std::ifstream stream(file);
  for (std::string from, to; stream >> from >> to;) renames[from] = to;
}

}  // namespace

int main(int count, char** arguments) {
  int programs = 3000;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string option = arguments[i];
    if (option == "--renames") read_renames(arguments[i + 1]);
    if (option == "--programs") programs = std::atoi(arguments[i + 1]);
    if (option == "--print") printed = arguments[i + 1];
    if (option == "--counts") counted = arguments[i + 1];
  }
  for (const Case& one : models()) {
    add(one, false, true);
    add(one, true, false);
  }
  Vector<Source> control;
  for (const Source& source : codegen::cuda_control_kernels()) control.push_back(source);
  Printer("control of CUDA Graphs").add_sources("CUDA", control, "");
  add_programs(programs);
  return 0;
}
