"""recorder.py MANNER DIR RANK [AGE]: stands in for a PyTorch process whose flight recorder can be
asked for a dump.

MANNER: fifo (opens DIR/pipe_RANK.pipe as ProcessGroupNCCL does and writes DIR/trace_RANK when a byte
comes), deaf (the same, but never looks), server (HTTP on the unix socket DIR/socket), old (a server
with fr_trace_json alone), rude (answers nonsense), silent.  The environment says where these are, so
the caller sets it.  AGE: seconds since the open operation began (600).  Prints pid=N and ends with
its input.
"""

import json
import os
import socket
import sys
import threading
import time

manner, where, rank = sys.argv[1], sys.argv[2], int(sys.argv[3])
age = float(sys.argv[4]) if len(sys.argv) > 4 else 600


def dump():
    """Rank 0 waits in collective 6, rank 1 has not come further than 5."""
    now = time.time_ns()
    last = 6 if rank == 0 else 5
    entry = {
        "frames": [], "pg_id": 0, "process_group": ["0", "default_pg"], "p2p_seq_id": 0,
        "profiling_name": "nccl:all_reduce", "input_sizes": [[4096]], "output_sizes": [[4096]],
        "input_dtypes": ["Float"], "output_dtypes": ["Float"], "timeout_ms": 600000, "is_p2p": False,
        "time_discovered_started_ns": 0,
    }
    entries = []
    for seq in range(1, last + 1):
        done = seq <= 5
        created = now - int((age + 5 - min(seq, 6) + 1) * 1e9)
        entries.append(dict(
            entry, record_id=seq, collective_seq_id=seq, op_id=seq, time_created_ns=created,
            time_discovered_completed_ns=created + 1000 if done else 0,
            state="completed" if done else "scheduled", retired=done))
    return json.dumps({
        "version": "2.10", "entries": entries,
        "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}},
        "pg_status": {"0": {"last_enqueued_collective": last, "last_started_collective": -1,
                            "last_completed_collective": 5}},
    }).encode()


def watch_fifo():
    path = f"{where}/pipe_{rank}.pipe"
    os.mkfifo(path)
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    while True:
        time.sleep(0.3)
        if manner == "fifo" and os.read(fd, 64):
            with open(f"{where}/trace_{rank}", "wb") as out:
                data = dump()
                out.write(data[:100])
                out.flush()
                time.sleep(0.1)
                out.write(data[100:])


def answer(conn):
    request = conn.recv(1 << 16).decode()
    handler = request.split(" ")[1]
    if manner == "rude":
        conn.sendall(b"SSH-2.0-OpenSSH_9.2\r\n" + bytes(range(256)) * 64)
    elif manner == "silent":
        time.sleep(60)
    elif not request.startswith("POST ") or handler not in (
            ("/handler/fr_trace_json",) if manner == "old"
            else ("/handler/fr_trace_json", "/handler/dump_nccl_trace_json")):
        conn.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nnot found")
    else:
        body = dump()
        conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    conn.close()


def serve():
    server = socket.socket(socket.AF_UNIX)
    server.bind(f"{where}/socket")
    server.listen()
    while True:
        try:
            answer(server.accept()[0])
        except OSError:
            pass


threading.Thread(target=watch_fifo if manner in ("fifo", "deaf") else serve, daemon=True).start()
time.sleep(0.2)
print(f"pid={os.getpid()}", flush=True)
sys.stdin.read()
