"""A lock that is a file's existence, in a module with the name of torch's: that is what shows."""

import os
import time


class Baton:
    def __init__(self, path):
        self.path = path

    def take(self):
        return os.open(self.path, os.O_CREAT | os.O_WRONLY)

    def wait(self):
        while os.path.exists(self.path):
            time.sleep(0.05)
