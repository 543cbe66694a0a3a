/* Copies between two devices, and who may access whose memory. CUDA copies by way of the host where that is
 * not enabled: a finding here, as who copies so means a direct copy. */
#include "fake.h"

static bool exists(int device)
{
    return device >= 0 && device < fake.config.devices;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    cudaError_t status = fake_enter("cudaDeviceCanAccessPeer");
    if (status == cudaSuccess && (can == NULL || !exists(device) || !exists(peer)))
        status = can == NULL ? cudaErrorInvalidValue : cudaErrorInvalidDevice;
    if (status == cudaSuccess)
        *can = fake.config.peers && device != peer;
    return fake_leave(status);
}

/* Of the current device, in one direction. */
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    cudaError_t status = fake_enter_device("cudaDeviceEnablePeerAccess");
    if (status != cudaSuccess)
        return fake_leave(status);
    bool *reaches = exists(peer) ? &fake.devices[fake_current()].reaches[peer] : NULL;
    if (flags != 0 || reaches == NULL)
        return fake_leave(flags != 0 ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
    if (!fake.config.peers || peer == fake_current())
        return fake_leave(cudaErrorPeerAccessUnsupported);
    if (*reaches)
        return fake_leave(cudaErrorPeerAccessAlreadyEnabled);
    *reaches = true;
    return fake_leave(cudaSuccess);
}

/* The stream is of either device. */
static cudaError_t copy(void *target, int to, const void *source, int from, size_t bytes,
                        struct CUstream_st *s)
{
    if (fake_memory_check(target, bytes) != to || fake_memory_check(source, bytes) != from)
        fake_finding("copy between devices that do not have the memory", "%zu bytes from device %d to %d",
                     bytes, from, to);
    if (s->device != to && s->device != from)
        fake_finding("copy in a stream of another device than its memory",
                     "stream of device %d, memory of %d and %d", s->device, from, to);
    if (!fake.devices[s->device].reaches[s->device == to ? from : to])
        fake_finding("copy between devices without access", "%zu bytes from device %d to %d", bytes, from,
                     to);
    struct fake_op *op = fake_enqueue(s, FAKE_COPY);
    op->target = target;
    op->source = source;
    op->bytes = bytes;
    fake.counts.peer_bytes += bytes;
    return cudaSuccess;
}

cudaError_t cudaMemcpyPeerAsync(void *target, int to, const void *source, int from, size_t bytes,
                                cudaStream_t stream)
{
    cudaError_t status = fake_enter("cudaMemcpyPeerAsync");
    if (status == cudaSuccess && (!exists(to) || !exists(from) || to == from))
        status = cudaErrorInvalidDevice;
    if (status != cudaSuccess)
        return fake_leave(status);
    struct CUstream_st *s = fake_stream(stream);
    status = fake.devices[s->device].sticky;
    if (status == cudaSuccess && bytes > 0)
        status = copy(target, to, source, from, bytes, s);
    return fake_leave(status);
}
