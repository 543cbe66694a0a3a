/* In place of CUB's: as there, thread 0 alone gets the result, and the next use of the storage needs a barrier. */
#ifndef PLB_TEST_CUB_BLOCK_REDUCE_H
#define PLB_TEST_CUB_BLOCK_REDUCE_H

namespace cub {

template <typename type, int threads> class BlockReduce {
public:
    struct TempStorage {
        type of[threads];
    };
    explicit BlockReduce(TempStorage &storage) : room(storage) {}

    template <typename function> type Reduce(const type &mine, function fold)
    {
        type result;
        room.of[on_cpu::threadIdx().x] = mine;
        __syncthreads();
        memset(&result, 0xff, sizeof result);
        if (on_cpu::threadIdx().x == 0) {
            result = mine;
            for (int i = 1; i < threads; i++)
                result = fold(result, room.of[i]);
        }
        return result;
    }

private:
    TempStorage &room;
};

} // namespace cub

#endif
