/* The peer of loader_speed: libtorch's C++ DataLoader over the same samples of 64 bytes, without any work. Only built
 * with -DLB_PEER=ON, where libtorch is installed; loader_speed runs it if it lies beside itself.
 *
 *     loader_peer WORKERS BATCH_SIZE SAMPLES      prints ns a sample
 */
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <torch/data.h>

using Bytes = std::array<char, 64>;

struct Small : torch::data::datasets::Dataset<Small, Bytes> {
    size_t n;
    explicit Small(size_t samples) : n(samples)
    {
    }
    Bytes get(size_t index) override
    {
        Bytes bytes;
        std::memcpy(bytes.data(), &index, sizeof index);
        return bytes;
    }
    torch::optional<size_t> size() const override
    {
        return n;
    }
};

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    size_t workers = std::strtoul(argv[1], nullptr, 10), batch = std::strtoul(argv[2], nullptr, 10);
    size_t samples = std::strtoul(argv[3], nullptr, 10), seen = 0, from = 0, sum = 0;
    auto options = torch::data::DataLoaderOptions().batch_size(batch).workers(workers);
    auto loader = torch::data::make_data_loader(Small(samples), torch::data::samplers::SequentialSampler(samples), options);
    auto start = std::chrono::steady_clock::now();
    for (auto &items : *loader) {
        if (!from && seen > samples / 10) {
            start = std::chrono::steady_clock::now();
            from = seen;
        }
        for (auto &item : items)
            sum += (unsigned char)item[0];
        seen += items.size();
    }
    std::chrono::duration<double, std::nano> ns = std::chrono::steady_clock::now() - start;
    std::printf("%.3f\n", ns.count() / double(seen - from));
    return sum == 1;
}
