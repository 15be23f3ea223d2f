"""Without a GPU, the limit is one of TensorFlow's memory on the CPU."""

from fitguard.supervise.cpu_limit import limit_cpu

NO_GPU = {"CUDA_VISIBLE_DEVICES": "-1"}
GIB = 2**30


def test_the_allocator_of_gpus_with_its_limit():
    assert limit_cpu(NO_GPU, GIB) == {
        "TF_CPU_ALLOCATOR_USE_BFC": "1",
        "TF_CPU_BFC_MEM_LIMIT_IN_MB": "1024",
    }


def test_a_lower_limit_of_the_user_stays():
    own = {**NO_GPU, "TF_CPU_ALLOCATOR_USE_BFC": "1", "TF_CPU_BFC_MEM_LIMIT_IN_MB": "100"}
    assert limit_cpu(own, GIB)["TF_CPU_BFC_MEM_LIMIT_IN_MB"] == "100"
    assert limit_cpu(own, GIB // 16)["TF_CPU_BFC_MEM_LIMIT_IN_MB"] == "64"


def test_a_limit_of_the_user_that_does_nothing_does_not_count():
    own = {**NO_GPU, "TF_CPU_BFC_MEM_LIMIT_IN_MB": "100"}
    assert limit_cpu(own, GIB)["TF_CPU_BFC_MEM_LIMIT_IN_MB"] == "1024"
