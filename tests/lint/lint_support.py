"""What the lint checks share: the project's files, and the form of their reports."""
import os
import subprocess
import sys

ROOT = os.environ.get("WIKISEARCH_SOURCE_DIR") or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def project_files(root):
    """Paths below root that are in the repository or could be added to it, sorted."""
    git = subprocess.run(
        ["git", "-c", f"safe.directory={root}", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if git.returncode == 0:
        names = git.stdout.decode().split("\0")
        return sorted({name for name in names if name and os.path.isfile(os.path.join(root, name))})
    found = []
    for where, dirs, names in os.walk(root):
        dirs[:] = [d for d in dirs if not d.startswith((".git", "build", "node_modules", "__pycache__"))]
        found += [os.path.relpath(os.path.join(where, name), root) for name in names]
    return sorted(found)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def plant(root, path, text):
    """Writes a file of a self-test."""
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as file:
        file.write(text)


def expect(name, findings, wanted):
    """Self-test: `findings` must mention every string of `wanted`, one finding each, and nothing else."""
    missing = [want for want in wanted if not any(want in finding for finding in findings)]
    if missing or len(findings) != len(wanted):
        print(f"self-test {name}: missing {missing}, got:")
        print("\n".join("  " + finding for finding in findings))
        return 1
    return 0


def finish(findings, examined):
    """Prints the findings and ends the program."""
    for finding in findings:
        print(finding)
    print(f"{examined} examined, {len(findings)} findings")
    print("0 passed, 1 failed" if findings else "1 passed, 0 failed")
    sys.exit(1 if findings else 0)


def finish_self_test(failed, total):
    print(f"{total - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
