"""Where the seeds of a fuzz target lie: corpus/NAME/seed-000 and on."""
import os


def write_seeds(name, seeds):
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus", name)
    os.makedirs(folder, exist_ok=True)
    for number, seed in enumerate(seeds):
        with open(os.path.join(folder, f"seed-{number:03d}"), "wb") as file:
            file.write(seed)
