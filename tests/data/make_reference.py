"""Writes tests/data/torch/*.npz: what torch computes, for tests/reference to compare with.

Run it with torch 2.15 (CPU) and NumPy: python tests/data/make_reference.py [family...]
"""

import os
import sys
import warnings

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch")
FAMILIES = ["elementwise", "promotion", "reduction", "movement", "indexing", "product",
            "convolution", "normalization", "loss", "layers", "creation", "samples"]


def main():
    sys.dont_write_bytecode = True
    sys.path.append(FOLDER)
    warnings.simplefilter("ignore")
    import recorder
    for name in sys.argv[1:] or FAMILIES:
        recorder.generator.manual_seed(20260)
        family = recorder.Family(name)
        __import__(name).record(family)
        family.write(os.environ.get("SINTER_SAMPLES", FOLDER))


if __name__ == "__main__":
    main()
