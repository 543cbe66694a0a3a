/* For a glibc before 2.36: what Debian 12's libevent asks for. See bring_arc4random in libraries.sh. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/types.h>
void arc4random_buf(void *buffer, size_t n);
uint32_t arc4random(void);
uint32_t arc4random_uniform(uint32_t bound);
void arc4random_buf(void *buffer, size_t n)
{
    for (char *p = buffer; n > 0;) {
        ssize_t got = getrandom(p, n < 256 ? n : 256, 0); /* 256 bytes are never cut short */
        if (got < 0)
            abort();
        p += got;
        n -= (size_t)got;
    }
}
uint32_t arc4random(void)
{
    uint32_t x;
    arc4random_buf(&x, sizeof x);
    return x;
}
uint32_t arc4random_uniform(uint32_t bound)
{
    uint32_t x, least = bound > 1 ? -bound % bound : 0; /* below it, small remainders would be likelier */
    do
        x = arc4random();
    while (x < least);
    return bound > 1 ? x % bound : 0;
}
