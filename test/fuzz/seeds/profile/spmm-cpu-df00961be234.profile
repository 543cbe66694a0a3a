# The times of a kernel on a processing unit. Made by plbrun, read with [balance] profile = read or on;
# it may be deleted, not edited.
[profile]
format = 1
kernel = spmm
build = 0123456789abcdef
pu = cpu
kind = cpu
threads = 4
model = a model

# seconds for x of cost: 3.33e-16 + 0.05 x
# of one task: cost, seconds executing, seconds transferring; how many tasks
[samples]
task = 10 0.5 0.01 1
task = 20 1 0.01 1
task = 30 1.5 0.01 1

[end]
checksum = 2fa10aa2e80c375c
