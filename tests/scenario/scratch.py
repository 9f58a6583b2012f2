# SPDX-License-Identifier: BSD-3-Clause
"""A directory of a test's own, gone with it."""
import os
import tempfile
import unittest


class Scratch(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def path(self, name, content=None):
        """Of a file there, written if there is content: text or bytes."""
        path = os.path.join(self.directory.name, name)
        if content is not None:
            with open(path, "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())
        return path
