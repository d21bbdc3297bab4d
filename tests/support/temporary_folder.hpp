// A folder of its own for one test, gone with it.
#pragma once

#include "core/host/temporary_folder.hpp"

namespace scalesweep::test {

using scalesweep::TemporaryFolder;

}  // namespace scalesweep::test
