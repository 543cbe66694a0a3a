# For others to install: the release and packages. For others to read: the documents as HTML.

.PHONY: dist deb site check-packages check-slurm
dist:
	@scripts/dist $(if $(DIST),'$(DIST)')
deb:
	@scripts/deb
site:
	@scripts/site $(if $(SITE),'$(SITE)')
# In a bare Debian 12, made by debootstrap: needs root and the network, and takes minutes.
check-packages:
	@QUICK=$(QUICK) test/packages/run $(STAGES)
# A Slurm of one node, started and ended by the test.
check-slurm: all
	@$(SETTINGS) test/slurm/run
