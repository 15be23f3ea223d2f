"""GPU names as people, shops and NVML write them."""

import pytest

from fitguard.knowledge import knowledge

gpus = knowledge().gpus


@pytest.mark.parametrize(
    ("name", "capability"),
    [
        ("NVIDIA GeForce RTX 3060 Laptop GPU", "8.6"),
        ("Tesla T4", "7.5"),
        ("A100-SXM4-80GB", "8.0"),
        ("NVIDIA A100-PCIE-40GB", "8.0"),
        ("A100", "8.0"),
        ("rtx 4090", "8.9"),
        ("RTX4090", "8.9"),
        ("4090", "8.9"),
        ("GTX1080Ti", "6.1"),
        ("1080 ti", "6.1"),
        ("GeForce GTX 1650 with Max-Q Design", "7.5"),
        ("2x GTX 1060 6GB", "6.1"),
        ("K80", "3.7"),
        ("Tesla K40", "3.5"),
        ("V100", "7.0"),
        ("Tesla V100-SXM2-16GB", "7.0"),
        ("Tesla P100-PCIE-16GB", "6.0"),
        ("NVIDIA H100 80GB HBM3", "9.0"),
        ("NVIDIA H200", "9.0"),
        ("NVIDIA GH200 480GB", "9.0"),
        ("NVIDIA B200", "10.0"),
        ("NVIDIA RTX 6000 Ada Generation", "8.9"),
        ("Quadro RTX 6000", "7.5"),
        ("RTX A6000", "8.6"),
        ("NVIDIA TITAN Xp", "6.1"),
        ("NVIDIA TITAN X (Pascal)", "6.1"),
        ("GeForce GTX TITAN X", "5.2"),
        ("TITAN V", "7.0"),
        ("RTX 50", "12.0"),
        ("RTX 50 series", "12.0"),
        ("GTX 10xx", "6.1"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "12.0"),
        ("DGX Spark", "12.1"),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", "8.0"),
        ("GRID T4-8Q", "7.5"),
        ("GRID V100D-8Q", "7.0"),
        ("RTX 5080 (CC 12.0)", "12.0"),
        ("NVIDIA® GeForce® RTX™ 2080 SUPER", "7.5"),
        ("RTX PRO 6000", "12.0"),
        ("RTX PRO 6000 Max-Q", "12.0"),
        ("RTX 6000 Ada", "8.9"),
        ("Quadro RTX 5000 with Max-Q Design", "7.5"),
        ("GTX TITAN X", "5.2"),
        ("TITAN X (Pascal)", "6.1"),
        ("NVIDIA GeForce RTX 3060 Lite Hash Rate", "8.6"),
        ("GeForce RTX 3080 LHR", "8.6"),
    ],
)
def test_one_capability(name, capability):
    assert gpus.capabilities(name) == (capability,)


@pytest.mark.parametrize(
    ("name", "capabilities"),
    [
        ("GTX 860M", ("3.0", "5.0")),
        ("RTX 6000", ("7.5", "8.9")),
        ("NVIDIA RTX 5000", ("7.5", "8.9")),
        ("RTX 4000", ("7.5", "8.9")),
        ("NVIDIA TITAN X", ("5.2", "6.1")),
    ],
)
def test_two_chips_under_one_name(name, capabilities):
    assert gpus.capabilities(name) == capabilities


def test_variants_are_not_confused():
    assert {model.name for model in gpus.find("RTX 3060 Ti")} == {"GeForce RTX 3060 Ti"}
    assert all("Ti" not in model.name for model in gpus.find("RTX 3060"))


@pytest.mark.parametrize(
    "name", ["GTX 9999", "NVIDIA H20", "Radeon RX 7900 XTX", "", "NVIDIA", "🦆", "x" * 5000]
)
def test_unknown(name):
    assert gpus.find(name) == ()


def test_similar_names():
    assert "GeForce RTX 3060 Ti" in gpus.similar("RTX 3060Ti Boost")
