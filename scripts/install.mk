# make install, make uninstall. The folders have the names of the GNU conventions, below DESTDIR.

BINDIR := $(PREFIX)/bin
LIBDIR := $(PREFIX)/lib
INCLUDEDIR := $(PREFIX)/include
DATADIR := $(PREFIX)/share
MANDIR := $(DATADIR)/man
PKGCONFIGDIR := $(LIBDIR)/pkgconfig
COMPLETIONDIR := $(DATADIR)/bash-completion/completions
KERNELDIR := $(LIBDIR)/plbrun
LIST := $(KERNELDIR)/installed
PLACE = DESTDIR='$(DESTDIR)' scripts/install.d/place

# An installed program looks for its kernels in ../lib/plbrun. For another place it is linked again.
KERNELS_FROM_BIN = $(shell realpath -m -s --relative-to='$(BINDIR)' '$(KERNELDIR)')
INSTALLED = $(if $(filter ../lib/plbrun,$(KERNELS_FROM_BIN)),$(BIN),$(B)/install/plbrun)
.PHONY: $(B)/install/kernel_search.o
$(B)/install/kernel_search.o: runtime/job/kernel_search.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(C) $(CFLAGS) $(INC) -DPLB_KERNELS_FROM_BIN='"$(KERNELS_FROM_BIN)"' -c $< -o $@
$(B)/install/plbrun: $(B)/install/kernel_search.o $(BIN)
	@echo "  link  $@"
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -pthread -o $@ $(B)/runtime/plbrun.o $< \
	    $(filter-out $(B)/runtime/job/kernel_search.o,$(OBJECTS)) $(LINK)

# MODE:FILE:TARGET of each installed file. Folders of documents stay neighbours, so that their links hold.
# Jobs write their results beside their conf files. Git knows which files belong to an example. In a release,
# which is without git, their kinds tell.
EXAMPLE_KINDS := md conf c cu py sh gp png svg csv yaml cluster ipynb
EXAMPLES := $(or $(if $(wildcard .git),$(shell git ls-files examples)),\
              $(wildcard $(patsubst %,examples/%,*.md *.sh */Makefile $(EXAMPLE_KINDS:%=*/*.%))))
.PHONY: list-examples
list-examples:
	@printf '%s\n' $(EXAMPLES)
DOCUMENTS := $(wildcard *.md docs/*.md docs/*/*.md docs/*.svg docs/*.png hostfiles/*.cluster) LICENSE \
    $(EXAMPLES)
INSTALL_FILES = 755:$(INSTALLED):$(BINDIR)/plbrun 755:scripts/plbrun-mpirun:$(BINDIR)/plbrun-mpirun \
    755:scripts/plbrun-npz:$(BINDIR)/plbrun-npz \
    $(foreach f,$(KERNEL_SO),755:$f:$(KERNELDIR)/$(notdir $f)) \
    $(foreach f,$(wildcard runtime/include/plb/*.h),644:$f:$(INCLUDEDIR)/plb/$(notdir $f)) \
    $(foreach f,$(DOCUMENTS),$(if $(filter %.sh,$f),755,644):$f:$(DATADIR)/plbrun/$f) \
    644:docs/reference/report.schema.json:$(DATADIR)/plbrun/report.schema.json \
    $(foreach s,1 7,$(foreach f,$(wildcard docs/man/*.$s),644:$f:$(MANDIR)/man$s/$(notdir $f))) \
    $(foreach c,plbrun plbrun-mpirun,644:scripts/install.d/completion.bash:$(COMPLETIONDIR)/$c)

# The text of plbrun.pc.in, with the values.
VERSION = $(shell sed -n 's/.*PLB_VERSION "\(.*\)"/\1/p' runtime/base/version.h)
FILL = sed $(foreach v,PREFIX INCLUDEDIR KERNELDIR DATADIR VERSION,-e 's|@$v@|$($v)|')

install: all $(if $(filter install,$(MAKECMDGOALS)),$(filter-out $(BIN),$(INSTALLED)))
	@pc=$$(mktemp) && trap 'rm -f "$$pc"' EXIT && $(FILL) scripts/install.d/plbrun.pc.in >"$$pc" && \
	printf '%s\n' $(INSTALL_FILES) "644:$$pc:$(PKGCONFIGDIR)/plbrun.pc" | tr : ' ' | $(PLACE) install $(LIST)
	@echo "  installed in $(DESTDIR)$(PREFIX)"
uninstall:
	@$(PLACE) uninstall $(LIST)
