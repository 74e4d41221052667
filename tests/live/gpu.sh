#!/bin/sh
# The GPUs: asked only where there may be some, and nothing that the driver does holds it up.
. tests/lib/live.sh

# Its name makes a process one that may use a GPU.
mkdir "$tmp/cuda" "$tmp/bin"
echo 'int none;' >"$tmp/none.c"
${CC:-cc} -shared -fPIC -o "$tmp/cuda/libcuda.so.1" "$tmp/none.c" || exit 1
build() { # MANNER DEFINES...: a driver's library that behaves so
	mkdir "$tmp/$1"
	of=$tmp/$1/libnvidia-ml.so.1
	shift
	${CC:-cc} -std=gnu11 -D_GNU_SOURCE "$@" -shared -fPIC -o "$of" tests/live/gpu/nvml.c || exit 1
}
build whole
build old -DOLD
build hangs-init -DHANGS=0
build hangs-gpu -DHANGS=2
build lost -DLOSES=15
build lost-late -DLOSES_LATE=15
build denied -DLOSES=4
build unloaded -DFAILS=9
build crashes -DCRASHES

start job env RANK=7 LOCAL_RANK=1 "$fixtures/mapped" "$tmp/cuda/libcuda.so.1"
job=$(value job pid)
start other env RANK=6 LOCAL_RANK=0 "$fixtures/mapped" "$tmp/cuda/libcuda.so.1"
other=$(value other pid)
start plain "$fixtures/mapped"

# with MANNER ARGUMENTS...: looks with that library, at the job if at nobody else
with() {
	manner=$1
	shift
	run_look "$manner" env LD_LIBRARY_PATH="$tmp/$manner" NVML_PIDS="$other $job" \
		"$nh" -f json --interval 0 --timeout 5 "$@"
}
for manner in whole old hangs-init hangs-gpu lost lost-late denied unloaded crashes; do
	with "$manner" "$job" "$other"
done
run_look unused env LD_LIBRARY_PATH="$tmp/lost" "$nh" -f json --interval 0 "$other"
run_look plain env LD_LIBRARY_PATH="$tmp/whole" "$nh" -f json --interval 0 "$(value plain pid)"
run_look redacted env LD_LIBRARY_PATH="$tmp/whole" "$nh" -f json --interval 0 --redact "$job"

# nvidia-smi, where no library can be loaded.
smi() { # MANNER: by the script that is read
	mkdir "$tmp/$1"
	{ echo '#!/bin/sh' && cat; } >"$tmp/$1/nvidia-smi"
	chmod 755 "$tmp/$1/nvidia-smi"
	run_look "$1" env PATH="$tmp/$1:$PATH" "$nh" -f json --interval 0 --timeout 5 "$job" "$other"
}
smi smi <<-END
	case \$1 in
	*clocks_event*) echo 'Field "clocks_event_reasons.active" is not a valid field to query.' ;;
	*mig.mode*) echo 'Field "mig.mode.current" is not a valid field to query.' ;;
	--query-gpu*)
		echo '0, GPU-a, Test, 00000000:19:00.0, 470.1, 45, 95.51, 700.00, 345, 1980, 0, 10, 81559, 16, 16, 1, 5, 0, [N/A], Enabled, 0x0000000000000001'
		echo 'Unable to determine the device handle for GPU 0000:1A:00.0: GPU is lost.  Reboot the system to recover this GPU'
		echo '2, GPU-c, Test, 00000000:1B:00.0, [GPU is lost], [GPU is lost], [GPU is lost], [N/A]'
		;;
	--query-compute-apps*) printf 'GPU-c, %s\nGPU-c, 1\n' $job ;;
	--query-remapped*) echo 'GPU-a, Yes, No' ;;
	esac
END
smi smi-hangs <<-END
	echo \$\$ >"$tmp/smi.pid"
	exec sleep 100
END
smi smi-fails <<-END
	echo 'NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.'
	exit 9
END
looked

gpu() { echo "rows('gpus')[$1]"; }
check "both are told" tells whole "[g.index for g in rows('gpus')] == [0, 1]"
check "with their values" tells whole "(lambda g: (g.minor, g.temperature_c, g.slowdown_c, g.power_mw,
	g.power_limit_mw, g.sm_clock_mhz, g.sm_clock_max_mhz, g.gpu_util_percent, g.mem_used_bytes >> 30,
	g.mem_total_bytes >> 30, g.pcie_width, g.pcie_width_max, g.pcie_gen, g.pcie_gen_max,
	g.ecc_uncorrected, g.remap_pending, g.persistence, g.driver, g.pci, g.uuid[-1], g.throttle))($(gpu 0))
	== (4, 45, 89, 95500, 700000, 1980, 1981, 100, 20, 80, 8, 16, 1, 5, 3, True, True, '535.104.05',
	'00000000:19:00.0', '0', ['hw_slowdown', 'hw_thermal'])"
check "and who computes on them" tells whole "$(gpu 0).pids == [$other, 1] and $(gpu 1).pids == [$job, 1]"
check "what is off is no hang" finds_nothing whole
"$nh" report --color never "$tmp/whole.json" >"$tmp/whole.txt"
for words in 'hw_thermal' 'PCIe x8 of x16' 'remapped at its next reset' '3 uncorrected' \
	'100 % busy at 95 of 700 W' 'rank 6' 'not computing'; do
	check "the report says: $words" sh -c "tr -s ' \\n' ' ' <'$tmp/whole.txt' | grep -q '$words'"
done
check "control characters are harmless" sh -c "! grep -q \"\$(printf '\\033')\" '$tmp/whole.txt'"
check "a GPU in order has no line" not grep -q 'GPU 1.*PCIe' "$tmp/whole.txt"
check "--all has every GPU" sh -c "'$nh' report --all '$tmp/whole.json' | grep -q '1980/1981'"
check "redacted: no uuid" not grep -q 5e0b4bd1 "$tmp/redacted.json"
if [ -e /dev/nvidiactl ]; then
	skip "a process without CUDA: not asked" "there is a driver here"
else
	check "a process without CUDA: not asked" tells plain "not rows('gpus')"
fi

check "an old driver: what it has" tells old "$(gpu 0).power_mw == 95500 and
	$(gpu 0).pids == [$other] and not $(gpu 0).pcie_width"
check "hung in nvmlInit: said" tells hangs-init "not rows('gpus') and
	any('did not answer in time' in g for g in gaps)"
check "hung at a GPU: the other is told" tells hangs-gpu "$(gpu 0).power_mw == 95500 and
	$(gpu 1).trouble == 'silent'"
check "a GPU that may not be read: said" tells denied "$(gpu 1).trouble == 'unreadable' and
	'error 4' in $(gpu 1).error and not fs"
check "no driver: said" tells unloaded "any('Driver Not Loaded' in g for g in gaps)"
check "a crash: said" tells crashes "any('died of signal 11' in g for g in gaps)"
for manner in hangs-init hangs-gpu; do
	check "$manner: within the deadline" tells $manner "h.duration_ms < 5200"
	check "$manner: the verdict does not depend on it" finds_nothing $manner
done

check "lost: convicts its rank" tells lost-late "f.id == 'driver-stall' and f.confidence == 'likely' and
	c.pid == $job and c.rank == 7 and len(fs) == 1 and $(gpu 1).trouble == 'lost'"
check "lost: and says what is lost" tells lost-late "'GPU 1' in f.title and
	any('GPU is lost' in e for e in f.evidence)"
check "lost without a word of who used it: possible" tells lost "f.id == 'driver-stall' and
	f.confidence == 'possible' and c.pid == $job"
check "lost, and nobody of the job used it" finds_nothing unused

check "nvidia-smi: values in the same units" tells smi "(lambda g: (g.power_mw, g.mem_total_bytes,
	g.throttle, g.persistence, g.remap_pending, g.sm_clock_mhz))($(gpu 0)) ==
	(95510, 81559 << 20, ['gpu_idle'], True, True, 345)"
check "nvidia-smi: a GPU that cannot be opened" tells smi "$(gpu 1).trouble == 'lost' and
	$(gpu 1).pci == '0000:1A:00.0'"
check "nvidia-smi: lost, but listed" tells smi "$(gpu 2).trouble == 'lost' and
	f.id == 'driver-stall' and f.confidence == 'likely' and c.pid == $job"
check "nvidia-smi hangs: said" tells smi-hangs "any('did not answer in time' in g for g in gaps)"
check "nvidia-smi hangs: within the deadline" tells smi-hangs "h.duration_ms < 5200"
check "nvidia-smi hangs: it is ended" soon gone "$(cat "$tmp/smi.pid")"
check "nvidia-smi fails: its words" tells smi-fails "any('could not communicate' in g for g in gaps)"
done_testing
