/* NVML of a machine with one H200, as far as it is asked: the answers of
   tests/facts/recordings/h200.json. What is not here, NVML refuses. */

#include <string.h>

static int card;

int nvmlInit_v2(void) { return 0; }
int nvmlInitWithFlags(unsigned flags) { return 0; }
int nvmlShutdown(void) { return 0; }

int nvmlSystemGetDriverVersion(char *text, unsigned length)
{
    strncpy(text, "580.159.04", length);
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = 1;
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **handle)
{
    *handle = &card;
    return 0;
}

int nvmlDeviceGetName(void *handle, char *text, unsigned length)
{
    strncpy(text, "NVIDIA H200", length);
    return 0;
}

int nvmlDeviceGetCudaComputeCapability(void *handle, int *major, int *minor)
{
    *major = 9;
    *minor = 0;
    return 0;
}
