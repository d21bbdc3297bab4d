#include "study/evaluate/job_figures.hpp"

namespace scalesweep::study {

JobFigures figures_of(const Job& job, const SystemChoice& choice, double accelerators) {
  JobFigures figures;
  figures.work_units = job.work_units;
  figures.accelerators = accelerators;
  if (!choice.system) {
    return figures;
  }
  const technology::Device& device = choice.system->device;
  figures.memory_capacity_bytes = device.dram.capacity.si();
  figures.tensor_peak_flop_per_s = technology::matrix_peak(device, job.multiplied.front()).si();
  figures.dram_bytes_per_s = device.dram.bandwidth.si();
  figures.scale_up_bytes_per_s = choice.system->scale_up().bandwidth.si();
  figures.scale_out_bytes_per_s = choice.system->scale_out().bandwidth.si();
  figures.clock_hz = device.clock.si();
  figures.ownership = choice.ownership;
  figures.prefill_ownership = choice.prefill_system ? choice.prefill_ownership : choice.ownership;
  if (choice.asked) {
    figures.shares = choice.asked->budget.shares;
  }
  return figures;
}

}  // namespace scalesweep::study
