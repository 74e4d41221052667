#!/usr/bin/env python3
"""Made-up checkpoints: checkpoint.py DIR writes one subdirectory or file a scene.

Pickles are written by Python's own pickler from look-alike classes, so that the opcodes are those
of real ones; nothing of PyTorch is needed.
"""
import io, os, pickle, struct, sys, types, zipfile
from collections import OrderedDict

out = sys.argv[1]


def fake(module, name):
    """A class that pickles as module.name."""
    if module not in sys.modules:
        sys.modules[module] = types.ModuleType(module)
    if hasattr(sys.modules[module], name):
        return getattr(sys.modules[module], name)
    cls = type(name, (), {"__module__": module})
    setattr(sys.modules[module], name, cls)
    return cls


META = "torch.distributed.checkpoint.metadata"
Metadata, Bytes, Index = (fake(META, n) for n in ("Metadata", "BytesStorageMetadata", "MetadataIndex"))
Info = fake("torch.distributed.checkpoint.filesystem", "_StorageInfo")


def make(cls, **fields):
    o = cls()
    o.__dict__.update(fields)
    return o


class Storage:
    def __init__(self, key, device):
        self.id = ("storage", fake("torch", "FloatStorage"), key, device, 4)


sys.modules.setdefault("torch._utils", types.ModuleType("torch._utils"))


def _rebuild_tensor_v2(*args):
    return args


_rebuild_tensor_v2.__module__ = "torch._utils"
_rebuild_tensor_v2.__qualname__ = "_rebuild_tensor_v2"
sys.modules["torch._utils"]._rebuild_tensor_v2 = _rebuild_tensor_v2


class Tensor:
    def __init__(self, key, device="cpu"):
        self.storage = Storage(key, device)

    def __reduce__(self):
        return _rebuild_tensor_v2, (self.storage, 0, (4,), (1,), False, OrderedDict())


class Pickler(pickle.Pickler):
    def persistent_id(self, o):
        return o.id if isinstance(o, Storage) else None


def pickled(o, protocol=2):
    f = io.BytesIO()
    Pickler(f, protocol).dump(o)
    return f.getvalue()


def save(path, o, compress=False):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED) as z:
        z.writestr("x/data.pkl", pickled(o))
        z.writestr("x/data/0", b"\0" * 16)
        z.writestr("x/version", "3\n")


def write(path, data=b"x"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def dcp(path, fqns, ranks=2):
    """Every rank's shard holds 64 bytes a value."""
    storage = {}
    for i, fqn in enumerate(fqns):
        storage[make(Index, fqn=fqn, offset=None, index=None)] = make(
            Info, relative_path="__%d_0.distcp" % (i % ranks), offset=i // ranks * 64, length=64)
    for rank in range(ranks):
        write("%s/__%d_0.distcp" % (path, rank), b"\0" * 64 * ((len(fqns) + ranks - 1) // ranks))
    meta = make(Metadata, state_dict_metadata={f: Bytes() for f in fqns}, planner_data={},
                storage_data=storage, version="1.0.0")
    write(path + "/.metadata", pickle.dumps(meta, 4))


W = {"weight": Tensor("0")}
CUDA = {"weight": Tensor("0", "cuda:0")}
OPT = {"state": {0: {"exp_avg": Tensor("0")}}, "param_groups": [{"lr": 0.1}]}
SCHED = {"last_epoch": 3}
RNG = {"cpu": Tensor("0"), "cuda": [Tensor("0")]}
LOADER = {"_sampler_iter_yielded": 7}
FULL = {"model": W, "optimizer": OPT, "scheduler": SCHED, "loader": LOADER, "rng": RNG, "step": 42}
FQNS = ["app.model.weight", "app.optim.state.weight.exp_avg", "scheduler.last_epoch",
        "loader._sampler_iter_yielded", "rng.cpu", "rng.cuda", "step"]

save(out + "/full.pt", FULL)
save(out + "/packed.pt", FULL, True)
save(out + "/nested.pt", {"app": {"model": W, "optim": OPT}, "lr_scheduler": SCHED,
                          "dataloader": LOADER, "rng_state": RNG, "global_step": 42})
save(out + "/thin.pt", {"state_dict": W, "epoch": 3, "config": {"optimizer": "adamw"}})
save(out + "/no-optimizer.pt", {k: v for k, v in FULL.items() if k != "optimizer"})
save(out + "/no-schedule.pt", {k: v for k, v in FULL.items() if k != "scheduler"})
save(out + "/cuda-empty.pt", dict(FULL, model=CUDA, rng={"cpu": Tensor("0"), "cuda": []}))
save(out + "/cpu-empty.pt", dict(FULL, rng={"cpu": Tensor("0"), "cuda": []}))
save(out + "/lightning.ckpt", {"pytorch-lightning_version": "2.1", "state_dict": W, "epoch": 1,
                               "global_step": 9, "loops": {}, "optimizer_states": [OPT],
                               "lr_schedulers": [SCHED]})
save(out + "/not.pt", [1, 2, 3])

dcp(out + "/dcp", FQNS)
dcp(out + "/dcp-thin", ["weight", "bias"])
for name in ("dcp-no-metadata", "dcp-cut-metadata", "dcp-cut-shard", "dcp-no-shard", "dcp-escape"):
    dcp(out + "/" + name, FQNS)
os.remove(out + "/dcp-no-metadata/.metadata")
os.truncate(out + "/dcp-cut-metadata/.metadata", 300)
os.truncate(out + "/dcp-cut-shard/__1_0.distcp", 100)
os.remove(out + "/dcp-no-shard/__1_0.distcp")
meta = open(out + "/dcp-escape/.metadata", "rb").read()
write(out + "/dcp-escape/.metadata", meta.replace(b"__1_0.distcp", b"../../passwd"))

hf = out + "/hf/checkpoint-1200/"
for i in range(4):
    save(hf + "rng_state_%d.pth" % i, {"python": (3, (1, 2)), "numpy": (1,), "cpu": Tensor("0"), "cuda": Tensor("0")})
save(hf + "optimizer.pt", OPT)
save(hf + "scheduler.pt", SCHED)
write(hf + "trainer_state.json", b'{"global_step": 1200}')
write(hf + "model.safetensors")
lost = out + "/hf-lost/checkpoint-1200/"
for i in (0, 1, 3):
    save(lost + "rng_state_%d.pth" % i, {"cpu": Tensor("0"), "cuda": Tensor("0")})
for name in ("optimizer.pt", "scheduler.pt"):
    save(lost + name, OPT)
write(lost + "trainer_state.json", b"{}")
write(lost + "model.safetensors")
thin = out + "/hf-thin/checkpoint-7/"
write(thin + "trainer_state.json", b"{}")
write(thin + "model.safetensors")

acc = out + "/accelerate/"
for name in ("optimizer.bin", "scheduler.bin", "sampler.bin"):
    save(acc + name, OPT)
save(acc + "random_states_0.pkl", {"torch_manual_seed": Tensor("0"), "torch_cuda_manual_seed": [Tensor("0")]})
write(acc + "model.safetensors")

for name in ("deepspeed", "deepspeed-lost"):
    ds = out + "/" + name + "/"
    write(ds + "latest", b"global_step5" if name == "deepspeed" else b"global_step6")
    for i in range(2):
        save(ds + "global_step5/bf16_zero_pp_rank_%d_mp_rank_00_optim_states.pt" % i, {"optimizer_state_dict": OPT})
    save(ds + "global_step5/mp_rank_00_model_states.pt",
         {"module": W, "optimizer": None, "lr_scheduler": SCHED, "global_steps": 5, "ds_version": "0.14"})

mg = out + "/megatron/"
write(mg + "latest_checkpointed_iteration.txt", b"500\n")
for i in range(2):
    save(mg + "iter_0000500/mp_rank_%02d/model_optim_rng.pt" % i,
         {"model": W, "optimizer": OPT, "opt_param_scheduler": SCHED, "iteration": 500,
          "rng_state": [{"random_rng_state": (1,), "cuda_rng_state": Tensor("0")}]})

for i in range(4):
    p = out + "/cadence/step-%d" % (i * 100)
    dcp(p, FQNS)
    os.utime(p + "/__0_0.distcp", (10000 + i * 900, 10000 + i * 900))
    os.utime(p + "/__1_0.distcp", (10004 + i * 900, 10004 + i * 900))
    os.utime(p + "/.metadata", (10006 + i * 900, 10006 + i * 900))

# Hostile ones.
whole = open(out + "/full.pt", "rb").read()
write(out + "/hostile/cut.pt", whole[:400])
end = whole.rindex(b"PK\5\6")
write(out + "/hostile/lying-directory.pt", whole[:end + 12] + struct.pack("<II", 1 << 31, 1 << 20) + whole[end + 20:])
entry = whole.index(b"PK\1\2")
write(out + "/hostile/lying-size.pt",
      whole[:entry + 20] + struct.pack("<II", 0x7fffffff, 0x7fffffff) + whole[entry + 28:])
first = whole.index(b"x/data.pkl") + 30
write(out + "/hostile/flipped.pt", whole[:first] + bytes([whole[first] ^ 1]) + whole[first + 1:])


class Evil:
    def __reduce__(self):
        return os.system, ("touch executed",)


save(out + "/hostile/evil.pt", {"model": W, "optimizer": OPT, "evil": Evil(), "step": 1})
with zipfile.ZipFile(out + "/hostile/deep.pt", "w") as z:
    z.writestr("x/data.pkl", b"\x80\x02" + b"(" * 100000 + b"N.")
with zipfile.ZipFile(out + "/hostile/memo.pt", "w") as z:
    z.writestr("x/data.pkl", b"\x80\x02Nr\xff\xff\xff\x7f.")
with zipfile.ZipFile(out + "/hostile/bomb.pt", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("x/data.pkl", b"\0" * (100 << 20))
write(out + "/hostile/sparse.pt", b"PK\3\4")
os.truncate(out + "/hostile/sparse.pt", 10 << 30)
