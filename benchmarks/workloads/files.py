"""Published data of the workloads: the files of ADBench, none of which is part of fsmooth (fsmooth/demo/data.py)."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from fsmooth.demo.data import Missing, Published, find, folder, here

Problem = TypeVar("Problem")

_ADBENCH = "https://raw.githubusercontent.com/microsoft/ADBench/38cb7931303a830c3700ca36ba9520868327ac87/data"
_ELSEWHERE = {
    "gmm/gmm": "gmm/1k/gmm",
    "hand/model_small": "hand/simple_small/model",
    "hand/model_big": "hand/simple_big/model",
}
"""What is found in other folders there."""

_CHECKSUMS = {
    "ba/ba1_n49_m7776_p31843.txt": "203aba86cf3739e371e3226319487593153d52ece848783e94a95b9499d5d4cc",
    "ba/ba2_n21_m11315_p36455.txt": "8ed34ff860f8ac9de73d753bde172a2ae2435af5584934b714f148671ce0c086",
    "ba/ba5_n257_m65132_p225911.txt": "8d9b945ae881dc2c7b3e965a8ce2797de457229e28f602ed2a546cfe610c3ef5",
    "ba/test.txt": "9f2a5cb722f2549b8d95f01b44c5e001a9c0a06cffbeb7aa0490c7a558a01ae6",
    "gmm/gmm_d2_K5.txt": "34bca915002ee7dfad53bbdb3f4875e1e54cc6b562248fb9d3c736c3b1dae29b",
    "gmm/gmm_d10_K5.txt": "a17918d10e1a5460b6e42cb1478850a5713ee76cc7adabc04d74f896d6ff7bc5",
    "gmm/gmm_d10_K25.txt": "37f570a1164ca73c46c90814d7195586545917558e66882e3597156870de8554",
    "gmm/gmm_d32_K25.txt": "3fa556e401cbccfec9c77fccba47a9e09291eb1b81a1f18841fb7bc3775e6e5a",
    "gmm/test.txt": "0fabb0c23497359a61c96597ae052d1e073ea5bc547e4c5e5f5e20ed30f9ea27",
    "hand/test.txt": "ac1ad000394bad2bada1636f5586f51f3e9fab0da5935e27a96f7ccd16e6e72b",
    "hand/hand_complicated.txt": "ef25cd4bb22c90de7e0ee43aaf8aad7984847948fc7aff493d0e6fd67d85ebd6",
    "hand/simple_small/hand1_t26_c100.txt": "7a73c47279a5b828cbaa6951f9c7db02c2cc91f9a025baf7aa0c1ddd550b8d31",
    "hand/simple_small/hand2_t26_c192.txt": "ba9e12be7897f82e8479969d08b450f01c5e9abfd31317a672e16695f267ebc6",
    "hand/complicated_small/hand1_t26_c100.txt": "d9d2ac0c86b4d8ced1087b1e096ed2a26fe9a7b1d7effef98a6259d662e8e2e8",
    "hand/complicated_small/hand2_t26_c192.txt": "8e8e7194629ebe21fe27b5fffd9d6c7c94f201d966576bcdfbe81a20a89262bd",
    "hand/complicated_big/hand5_t26_c800.txt": "dec9df39f328529bd2e674ac18b13629de85251fe3e70fab70d119b24d46427b",
    "hand/model_small/bones.txt": "e2b642541a43e17e7b394e60fa5fe779c03ccd7e10708b84c13e95c64bc62ca5",
    "hand/model_small/triangles.txt": "70c10fb3e80f82575a7faff5a2770a85563bf5d87df8068583162cc7adcdd398",
    "hand/model_small/vertices.txt": "9c2dd2c087fcea01909ab893409dd3d62a58f06cee0513f8c64054b4cc5ebde6",
    "hand/model_big/vertices.txt": "59a8a5873f485666fac6aac96dc7836d21c7da8aa8ddafb088ca74c00bb7051e",
    "lstm/lstm_l2_c1024.txt": "78bc98339b3938dc444737ad994c253445b103a5208e5d472367b1b04e6333a9",
    "lstm/lstm_l4_c1024.txt": "ab43f336c2bbe740b8af3f8ac90f562c1b6f6b8f73d8102cf769a759173d2980",
}
"""SHA-256 of each file."""


def published(name: str) -> Published:
    """A file of ADBench, by its path there but for the folders above."""
    there = name
    for ours, theirs in _ELSEWHERE.items():
        there = there.replace(ours, theirs)
    return Published(
        f"adbench/{name}",
        "ADBench (F. Šrajer, Z. Kukelova, A. Fitzgibbon; MIT)",
        f"{_ADBENCH}/{there}",
        _CHECKSUMS[name],
    )


def names(workload: str) -> list[str]:
    """The files of a workload that are problems, without its name."""
    return [n.removeprefix(f"{workload}/") for n in _CHECKSUMS if n.startswith(f"{workload}/") and "/model_" not in n]


def are_here(workload: str, *names: str) -> bool:
    """Are these files of a workload on this machine?"""
    return all([here(published(f"{workload}/{name}")) is not None for name in names])


def text(name: str) -> str:
    """The contents of a file.

    Raises:
        Missing: if it cannot be had.

    """
    return find(published(name)).content.decode()


def numbers(name: str) -> np.ndarray:
    """All numbers of a file, in order."""
    return np.array(text(name).split(), dtype=float)


def either(load: Callable[[], Problem], make: Callable[[], Problem]) -> tuple[Problem, str]:
    """The published problem, or one that is made if that cannot be had; and what a table adds to its size."""
    try:
        return load(), ""
    except Missing as error:
        print(f"{error}\na problem is made instead", file=sys.stderr)
        return make(), ", made"


def expected(workload: str) -> dict[str, Any] | None:
    """What the files of a workload must give, by file, if `$FSMOOTH_DATA` has that: it is published nowhere else."""
    own = folder()
    path = own / "adbench" / workload / "expected.json" if own else None
    if path is None or not path.is_file():
        return None
    found = json.loads(path.read_text())
    return {name.removeprefix(f"{workload}/"): values for name, values in found.items() if name != "_doc"}
