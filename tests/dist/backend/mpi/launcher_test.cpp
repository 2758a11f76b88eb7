// Launchers that MPI does not know, by their environment variables.

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include <sinter/dist/backend/mpi/launcher.hpp>

using sinter::detail::mpi::foreign_launcher;

namespace {

// Sets a variable of the environment during its lifetime.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    const char* const old = std::getenv(name);
    if (old != nullptr) old_ = old;
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { old_.empty() ? ::unsetenv(name_) : ::setenv(name_, old_.c_str(), 1); }

 private:
  const char* name_;
  std::string old_{};
};

// The tests themselves run under mpirun.
struct NoLauncher {
  Variable mpirun{"OMPI_COMM_WORLD_SIZE", nullptr}, torchrun{"WORLD_SIZE", nullptr},
      srun{"SLURM_STEP_NUM_TASKS", nullptr}, pmi{"PMI_SIZE", nullptr};
};

}  // namespace

TEST_CASE("launcher: several processes of which MPI knows one each") {
  const NoLauncher clean;
  CHECK(!foreign_launcher(1));
  const struct {
    const char *variable, *launcher;
  } cases[] = {{"OMPI_COMM_WORLD_SIZE", "mpirun of Open MPI"},
               {"PMI_SIZE", "mpiexec of MPICH"},
               {"SLURM_STEP_NUM_TASKS", "srun"},
               {"WORLD_SIZE", "torchrun"}};
  for (const auto& [variable, launcher] : cases) {
    CAPTURE(variable);
    const Variable several(variable, "4");
    const auto found = foreign_launcher(1);
    REQUIRE(found);
    CHECK(std::string(found->name) == launcher);
    CHECK(found->processes == 4);
    CHECK(!foreign_launcher(4));
  }
}

TEST_CASE("launcher: one process of the innermost launcher is not several") {
  const NoLauncher clean;
  const Variable mpirun("OMPI_COMM_WORLD_SIZE", "1"), daemons("SLURM_STEP_NUM_TASKS", "2");
  CHECK(!foreign_launcher(1));
}
