// Methods of one name differ in the types of their parameters.
#include "common.h"

class Range {
public:
    void set(int items) { size_ = items; }
    void set(float share) { size_ = (size_t)(share * 1024.0f); }
    const size_t *size() const { return &size_; }

private:
    size_t size_ = 1;
};

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    Range range;
    range.set(0.25f);
    // launch: kernel=scale; dim=1; global=0 or 256; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, range.size(), NULL, 0, NULL, NULL);
    return 0;
}
