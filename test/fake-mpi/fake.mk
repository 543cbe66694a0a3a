# The fake MPI: a library and an mpirun in the place of Open MPI's, for tests that do not ask what MPI itself
# does. Where plbrun is built with another MPI, all tests use that one. It is not sanitized, and neither is
# the real one.

FAKE_MPI := $(B)/test/fake-mpi
FAKE_MPI_C := $(addprefix test/fake-mpi/,calls.c collectives.c messages.c)
FAKE_MPI_FILES := $(if $(findstring openmpi,$(MPI_WORDS)),$(FAKE_MPI)/libmpi.so.40 $(FAKE_MPI)/mpirun)

$(FAKE_MPI)/libmpi.so.40: $(FAKE_MPI_C) test/fake-mpi/fake_mpi.h test/fake-mpi/shared.h
	@mkdir -p $(@D)
	@echo "  link  $@"
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -O2 -g -fPIC $(MPI_CFLAGS) -shared -Wl,-soname,$(@F) -o $@ \
	  $(FAKE_MPI_C)
$(FAKE_MPI)/mpirun: test/fake-mpi/mpirun.c test/fake-mpi/shared.h
	@mkdir -p $(@D)
	@echo "  link  $@"
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -O2 -g $(MPI_CFLAGS) -o $@ $<
