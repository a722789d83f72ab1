#include <numeric>
#include <vector>

extern "C" int sum(int count)
{
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1);
    return std::accumulate(numbers.begin(), numbers.end(), 0);
}
