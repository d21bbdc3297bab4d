"""Single files of repositories at a commit, out of bare copies of them."""
import fnmatch
import subprocess


class NotThere(Exception):
    pass


class Mirror:
    """A repository OWNER/NAME in FOLDER/OWNER+NAME/repo, or FOLDER/OWNER+NAME."""

    def __init__(self, folder, repository, revision):
        self.repository = repository
        plain = folder / repository.replace("/", "+")
        self.path = plain / "repo" if (plain / "repo").is_dir() else plain
        if not self.path.is_dir():
            raise NotThere(f"{plain}: no copy of {repository}; fetch it there first")
        try:
            self.commit = self.git("rev-parse", f"{revision}^{{commit}}").strip()
        except subprocess.CalledProcessError as problem:
            raise NotThere(f"{self.path}: no revision '{revision}' of {repository}; name a tag, a "
                           "branch or a commit that `git log` of that copy has") from problem
        self.files = self.git("ls-tree", "-r", "--name-only", self.commit).splitlines()

    def git(self, *arguments):
        return subprocess.run(["git", "-C", str(self.path), *arguments], check=True,
                              capture_output=True, encoding="utf-8", errors="replace").stdout

    def matching(self, pattern):
        return sorted(f for f in self.files if fnmatch.fnmatch(f, pattern))

    def text(self, file):
        return self.git("show", f"{self.commit}:{file}")

    def submodule(self, path):
        """The commit that a submodule has here."""
        line = self.git("ls-tree", self.commit, path)
        if not line.startswith("160000"):
            raise NotThere(f"{self.repository} {self.commit[:8]}: {path} is no submodule; correct "
                           "'submodules' of the program in programs.toml")
        return line.split()[2]
