# ncclhang: GNU make and pkg-config, no configure step.  `make help` lists the targets.
VERSION := 0.1.0

prefix      ?= /usr/local
bindir      ?= $(prefix)/bin
mandir      ?= $(prefix)/share/man
bashcompdir ?= $(prefix)/share/bash-completion/completions
zshcompdir  ?= $(prefix)/share/zsh/site-functions
fishcompdir ?= $(prefix)/share/fish/vendor_completions.d

PKG_CONFIG ?= pkg-config
INSTALL    ?= install
CFLAGS     ?= -O2 -g
O          ?= build
V          ?= 0
Q          := $(if $(filter 1,$V),,@)
say         = $(if $(filter 1,$V),,@printf '  %-7s %s\n' $1 $2;)

PKGS     := libdw libelf libunwind-ptrace liblzma zlib libzstd jansson ncursesw
DEPS     := gcc g++ make pkg-config libdw-dev libelf-dev libunwind-dev liblzma-dev libbz2-dev zlib1g-dev \
            libzstd-dev libjansson-dev libncurses-dev
# Only the tests use these.
TESTDEPS := python3 pdsh iproute2 util-linux procps mandoc bash zsh fish zstd tmux graphviz
pkg_mode := $(if $(STATIC),--static)

# Fail early and name what is missing; skipped for goals that build nothing.
ifneq ($(filter-out clean help deps deps-torch uninstall format,$(or $(MAKECMDGOALS),all)),)
ifeq ($(filter deps deps-torch,$(MAKECMDGOALS)),)
missing := $(foreach p,$(PKGS),$(if $(shell $(PKG_CONFIG) --exists $p && echo y),,$p))
$(if $(strip $(missing)),$(error missing libraries: $(missing); on Debian or Ubuntu run `make deps'))
endif
endif
pkg_cflags = $(shell $(PKG_CONFIG) --cflags $(PKGS))
# libsupc++ brings the C++ demangler; it has no .pc file.  NVML is loaded where that is possible.
pkg_libs   = $(shell $(PKG_CONFIG) $(pkg_mode) --libs $(PKGS)) -lsupc++ $(if $(STATIC),,-ldl)

# The user's CFLAGS, CPPFLAGS and LDFLAGS stay theirs; ours come first so that theirs win.
ours  = -std=gnu11 -D_GNU_SOURCE -DNH_VERSION='"$(VERSION)"' -Ilib -MMD -MP -pthread \
        -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings \
        -Wundef -Wformat=2 -Wno-unused-parameter -Wno-missing-field-initializers \
        $(if $(WERROR),-Werror) $(if $(STATIC),-DNH_STATIC) $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer)
flags = $(ours) $(pkg_cflags) $(CPPFLAGS) $(CFLAGS)
link  = $(CC) $(flags) $(if $(STATIC),-static) $(LDFLAGS)

obj       = $(patsubst %,$O/%.o,$(basename $1))
lib_src  := $(wildcard lib/*/*.c)
cmd_src  := $(wildcard cmd/*.c cmd/demo/*.c)
image_src := $(wildcard cmd/demo/image/*.c)
lib_obj  := $(call obj,$(lib_src))
cmd_obj  := $(call obj,$(cmd_src)) $O/cmd/demo/images.o
unit_bin := $(patsubst tests/unit/%.c,$O/tests/unit/%,$(wildcard tests/unit/*.c))
fuzz_bin := $(patsubst tests/fuzz/%.c,$O/tests/fuzz/%,$(wildcard tests/fuzz/*.c))
bench_bin := $O/tests/bench_edges
live_bin := $(patsubst tests/live/%.c,$O/tests/live/%,$(wildcard tests/live/*.c))
tidy_src := $(lib_src) $(cmd_src) $(image_src)

all: $O/ncclhang                ## build the program

$O/libncclhang.a: $(lib_obj)
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^
$O/ncclhang: $(cmd_obj) $O/libncclhang.a
	$(call say,LD,$@)$(link) -o $@ $^ $(pkg_libs) $(LDLIBS)
$(unit_bin) $(fuzz_bin) $(bench_bin): $O/tests/%: $O/tests/%.o $O/libncclhang.a
	$(call say,LD,$@)$(link) -o $@ $^ $(pkg_libs) $(LDLIBS)
$O/%.o: %.c $O/.flags
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) $(flags) -c -o $@ $<
# Fixtures hang in their own ways: built without sanitizers and without our library.
$(live_bin): $O/tests/live/%: tests/live/%.c $(wildcard tests/live/*.h)
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) -std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -pthread -o $@ $<

# The demo's patient: a static program of its own, in two builds, carried inside ncclhang.  Like a
# release NCCL it exports nccl*, so that the stripped build keeps those names and no others.
image_flags = -std=gnu11 -D_GNU_SOURCE -O2 -g1 -Wall -Wextra -Wno-unused-parameter -pthread
$O/demo/rank: $(image_src) $(wildcard cmd/demo/image/*.h)
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) $(image_flags) -static-pie -fPIE \
		-Wl,--export-dynamic-symbol='ncclComm*' -o $@ $(image_src)
$O/demo/rank.stripped: $O/demo/rank
	$(call say,STRIP,$@)strip -s -o $@ $<
$O/cmd/demo/images.o: cmd/demo/images.S $O/demo/rank $O/demo/rank.stripped $O/.flags
	$(call say,AS,$<)mkdir -p $(@D) && $(CC) $(CPPFLAGS) -I$O/demo -c -o $@ $<

# Rebuild when the flags change, not only when the sources do.
$O/.flags: FORCE
	@mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(CC) $(flags))' | cmp -s - $@ || \
		printf '%s\n' '$(subst ','\'',$(CC) $(flags))' > $@

deps:                           ## install what building and testing need (Debian, Ubuntu)
	$(Q)O=$O sh tests/deps.sh $(DEPS) $(TESTDEPS)
deps-torch:                     ## PyTorch, for the tests of live ranks: 150 MB to download, 640 MB of disk
	$(Q)O=$O sh tests/deps.sh python3-torch
demo: $O/ncclhang               ## hang a real process, explain it, release it
	$(Q)sh cmd/demo/demo.sh $O/ncclhang
check: $O/ncclhang $(unit_bin) $(fuzz_bin) $(live_bin)   ## run every test
	$(Q)O=$O CC='$(CC)' sh tests/run.sh $(T)
asan:                           ## the same tests under ASan and UBSan
	$(Q)$(MAKE) O=$O/asan SAN=address,undefined WERROR=1 check
static:                         ## build/static/ncclhang: one file that needs no library
	$(Q)$(MAKE) O=$O/static STATIC=1 $O/static/ncclhang
lint:                           ## clang-tidy, cppcheck, shellcheck, gcc and clang with -Werror
	$(Q)O=$O sh tests/lint.sh $(tidy_src) -- $(ours) $(pkg_cflags)
format:                         ## rewrite the sources in house style
	$(Q)clang-format -i $(wildcard cmd/*.[ch] cmd/demo/*.[ch] cmd/demo/image/*.[ch] lib/*/*.[ch] tests/*/*.[ch])
golden: $O/ncclhang $O/tests/unit/tui_keys   ## rewrite the expected reports and screens
	$(Q)O=$O sh tests/golden.sh --rewrite
	$(Q)NH_REWRITE=1 $O/tests/unit/tui_keys >/dev/null
bench: $O/ncclhang $(live_bin) $(bench_bin)  ## measure against ss, lsof and gdb, as ratios
	$(Q)O=$O sh tests/bench.sh

install: $O/ncclhang            ## honours DESTDIR and prefix
	$(INSTALL) -D -m 755 $O/ncclhang $(DESTDIR)$(bindir)/ncclhang
	$(INSTALL) -D -m 644 man/ncclhang.1 $(DESTDIR)$(mandir)/man1/ncclhang.1
	$(INSTALL) -D -m 644 man/ncclhang-case.5 $(DESTDIR)$(mandir)/man5/ncclhang-case.5
	$(INSTALL) -D -m 644 completions/ncclhang.bash $(DESTDIR)$(bashcompdir)/ncclhang
	$(INSTALL) -D -m 644 completions/_ncclhang $(DESTDIR)$(zshcompdir)/_ncclhang
	$(INSTALL) -D -m 644 completions/ncclhang.fish $(DESTDIR)$(fishcompdir)/ncclhang.fish
uninstall:                      ## remove what install put there
	rm -f $(DESTDIR)$(bindir)/ncclhang $(DESTDIR)$(mandir)/man1/ncclhang.1 \
	  $(DESTDIR)$(mandir)/man5/ncclhang-case.5 $(DESTDIR)$(bashcompdir)/ncclhang \
	  $(DESTDIR)$(zshcompdir)/_ncclhang $(DESTDIR)$(fishcompdir)/ncclhang.fish
clean:                          ## remove everything built
	rm -rf $O
help:                           ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 12

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all deps deps-torch demo check asan static lint format golden bench install uninstall clean help FORCE
-include $(shell find $O -name '*.d' -type f 2>/dev/null)
