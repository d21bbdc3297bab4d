// A file driver for HDF5 that writes to a descriptor of ours and never tells HDF5 of a failure.
//
// When a write fails inside HDF5 1.10 (disk full), the file cannot be closed any more, and the
// process crashes at exit when the library tries once more. Here the first error is kept for us to
// see, and from then on writes go nowhere, so that HDF5 can always close. Private to src/store.
#pragma once

#include "store/hdf5.hpp"

namespace scalesweep::store {

struct OutputSink {
  int descriptor = -1;  // open for reading and writing, empty
  int error = 0;        // errno of the first write that failed
};

// Files created with this access go to the sink, whatever their name; it must outlive them.
void set_output_driver(hid_t access, OutputSink& sink);

}  // namespace scalesweep::store
