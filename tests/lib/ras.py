"""ras.py MANNER: something that listens where NCCL's RAS service does.

Prints port=N and serves one connection after the other until its input ends.  Manners: answer,
slow (drips a line a second and never ends), silent, garbage, cut (ends within the answer).
"""

import os
import socket
import sys
import threading
import time

REPORT = """NCCL version 2.28.9 compiled with CUDA 13.0
CUDA runtime version 13.0, driver version 13.0

Job summary
===========

  Nodes  Processes         GPUs  Processes     GPUs
(total)   per node  per process    (total)  (total)
      1          2            1          2        2

Communicators... (0.00s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         1         2         2         2   RUNNING  INCOMPLETE

Errors
======

#0-0 (cf264af53edbe986) INCOMPLETE
  Missing communicator data from 1 rank
  Rank 1 -- GPU 1 managed by process 4711 on node 10.9.8.7

Warnings
========

TIMEOUT
  Encountered 2 communication timeouts while gathering communicator data
"""


def converse(conn):
    """The line protocol up to STATUS; True if the report is wanted."""
    lines = conn.makefile("rb")
    for line in lines:
        words = line.decode().upper().split()
        if words[:2] == ["CLIENT", "PROTOCOL"]:
            conn.sendall(b"SERVER PROTOCOL 2\n")
        elif words[:1] == ["TIMEOUT"]:
            conn.sendall(b"OK\n")
        elif words == ["VERBOSE", "STATUS"]:
            return True
        else:
            conn.sendall(b"ERROR: unknown command\n")
    return False


def serve(conn, manner):
    if manner == "garbage":
        conn.sendall(b"SSH-2.0-OpenSSH_9.2\r\n" + bytes(range(256)) * 64)
        time.sleep(1)
    elif manner == "silent":
        conn.recv(1 << 16)
        time.sleep(60)
    elif converse(conn):
        if manner == "slow":
            while True:
                conn.sendall(b"Job \x1b[31msummary\n")
                time.sleep(0.3)
        conn.sendall(REPORT.encode()[: 200 if manner == "cut" else None])
    conn.close()


def accept(server, manner):
    while True:
        try:
            serve(server.accept()[0], manner)
        except OSError:
            pass


if sys.argv[1] == "answer" and socket.has_ipv6:
    listener = socket.create_server(("::1", 0), family=socket.AF_INET6)
else:
    listener = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=accept, args=(listener, sys.argv[1]), daemon=True).start()
print(f"pid={os.getpid()} port={listener.getsockname()[1]}", flush=True)
sys.stdin.read()
