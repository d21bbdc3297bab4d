// A file without a seal is read by a child first: HDF5 follows whatever stands in a file, and a
// damaged one or a stranger's can make it crash, loop, or take all memory. The child has limits of
// time and memory by the size of the file, and reads what any command may: if it does not come to
// its end, nobody else opens the file. Private to src/store.
#pragma once

#include <filesystem>

namespace scalesweep::store {

// Throws Hdf5Error where HDF5 does not survive the file. What is merely wrong in it is found by who
// reads it. Costs a process and one pass over all names, texts, arrays and places of chunks; chunks
// are read where filters are not those of our files.
void try_in_child(const std::filesystem::path& path);

}  // namespace scalesweep::store
