"""python3 test_batch.py [fixed]"""
import sys
import unittest

import batch

VERSION = batch.FixedBatch if sys.argv[1:] == ["fixed"] else batch.Batch

# Takes a while, so it comes last.
ODD = "awk 'BEGIN { for (i = 1; i <= 1000000; i++) odd += i % 2; print odd }'"


class BatchTest(unittest.TestCase):
    def test_outputs(self):
        outputs = VERSION().run("echo one", ODD)
        self.assertEqual(outputs, ["one", "500000"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
