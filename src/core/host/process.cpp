#include "core/host/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

// NOLINTNEXTLINE(readability-redundant-declaration): POSIX leaves it to the program.
extern char** environ;

namespace scalesweep {
namespace {

// A pipe whose ends close themselves.
struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      ends = {-1, -1};
    }
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(std::size_t end) {
    if (ends[end] >= 0) {
      ::close(ends[end]);
      ends[end] = -1;
    }
  }
};

// What is there to read, behind `text`; false at the end.
bool read_some(int descriptor, std::string& text) {
  std::array<char, 4096> buffer{};
  const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
  if (got > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return got > 0 || (got < 0 && errno == EINTR);
}

// Both streams to their ends, whichever has something first: neither can fill up meanwhile.
void read_both(Pipe& output, Pipe& errors, ProcessResult& result,
               const std::function<void(const std::string&)>& on_error_line) {
  std::size_t told = 0;
  std::array<pollfd, 2> streams = {{{output.ends[0], POLLIN, 0}, {errors.ends[0], POLLIN, 0}}};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    if (::poll(streams.data(), streams.size(), -1) < 0) {
      continue;
    }
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (streams[i].fd >= 0 && streams[i].revents != 0 &&
          !read_some(streams[i].fd, i == 0 ? result.output : result.errors)) {
        streams[i].fd = -1;
      }
    }
    for (std::size_t end = 0;
         on_error_line && (end = result.errors.find('\n', told)) != std::string::npos;
         told = end + 1) {
      on_error_line(result.errors.substr(told, end - told));
    }
  }
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments,
                          const std::function<void(const std::string& line)>& on_error_line) {
  ProcessResult result;
  Pipe output;
  Pipe errors;
  if (output.ends[0] < 0 || errors.ends[0] < 0) {
    return result;
  }
  std::vector<std::string> copies = arguments;
  std::vector<char*> argv;
  for (std::string& argument : copies) {
    argv.push_back(argument.data());
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.ends[1], STDERR_FILENO);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  output.close_end(1);
  errors.close_end(1);
  if (failed == 0) {
    result.started = true;
    read_both(output, errors, result, on_error_line);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  return result;
}

}  // namespace scalesweep
