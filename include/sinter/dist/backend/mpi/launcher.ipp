#pragma once

#include <cstdlib>  // std::getenv, std::strtol

#include <sinter/dist/backend/mpi/launcher.hpp>

namespace sinter::inline SINTER_ABI::detail::mpi {

SINTER_INLINE Optional<ForeignLauncher> foreign_launcher(int size) {
  static constexpr const char* other_mpi =
      "start the program with the mpirun of the MPI that it was compiled with";
  // From the innermost on: mpirun may start its daemons with srun, srun sets the variables of PMI.
  const ForeignLauncher launchers[] = {
      {"mpirun of Open MPI", "OMPI_COMM_WORLD_SIZE", other_mpi},
      {"torchrun", "WORLD_SIZE", "start the program with mpirun -n, or srun --mpi=pmix"},
      {"srun", "SLURM_STEP_NUM_TASKS", "start the program with srun --mpi=pmix, or mpirun -n"},
      {"mpiexec of MPICH", "PMI_SIZE", other_mpi},
  };
  if (size > 1) return {};
  for (ForeignLauncher launcher : launchers) {
    const char* const value = std::getenv(launcher.variable);
    if (value == nullptr) continue;
    launcher.processes = std::strtol(value, nullptr, 10);
    if (launcher.processes > 1) return launcher;
    return {};  // it started this process alone
  }
  return {};
}

}  // namespace sinter::inline SINTER_ABI::detail::mpi
