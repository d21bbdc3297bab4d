#include <iostream>
#include <string>
#include <vector>

#include "cli/application.hpp"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return scalesweep::cli::run(arguments, std::cout, std::cerr);
}
