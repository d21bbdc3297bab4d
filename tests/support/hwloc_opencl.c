/* Stands for hwloc's plugin of OpenCL beside a driver with LLVM: once it is asked for devices,
 * SIGUSR1 is no longer the program's. */
#include <hwloc.h>
#include <hwloc/plugins.h>
#include <signal.h>

static void keep(int number) {
  (void)number;
}

static struct hwloc_backend* begin(struct hwloc_topology* topology,
                                   struct hwloc_disc_component* component, unsigned excluded,
                                   const void* data1, const void* data2, const void* data3) {
  (void)topology, (void)component, (void)excluded, (void)data1, (void)data2, (void)data3;
  signal(SIGUSR1, keep);
  return NULL; /* no devices */
}

static struct hwloc_disc_component devices = {
    .name = "opencl",
    .phases = HWLOC_DISC_PHASE_IO,
    .excluded_phases = 0,
    .instantiate = begin,
    .priority = 10,
    .enabled_by_default = 1,
};

HWLOC_DECLSPEC const struct hwloc_component hwloc_opencl_component = {
    .abi = HWLOC_COMPONENT_ABI,
    .type = HWLOC_COMPONENT_TYPE_DISC,
    .data = &devices,
};
