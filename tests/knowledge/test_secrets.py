"""Secrets in text and in names. Tests of the report's redaction look at whole documents."""

import pytest

from fitguard.knowledge.secrets import hide_secrets, secret_name

RANDOM = "0123456789abcdefABCDEF0123456789"


@pytest.mark.parametrize(
    "start",
    [
        *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "hf_", "sk-", "nvapi-"),
        *("npm_", "pypi-", "xoxb-", "AIza"),
    ],
)
def test_tokens_are_known_by_their_beginning(start: str) -> None:
    assert hide_secrets(f"/opt/{start}{RANDOM}, end") == "/opt/<secret>, end"
    assert hide_secrets(f"/opt/{start}short") == f"/opt/{start}short"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AKIAIOSFODNN7EXAMPLE ASIAIOSFODNN7EXAMPLE", "<secret> <secret>"),
        ("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2ln", "<secret>"),
        ("--auth=abc --auth_mode=x", "--auth=<secret> --auth_mode=x"),
        ("--api-key abc next", "--api-key <secret> next"),
        ("WANDB_KEY=abc", "WANDB_KEY=<secret>"),
        ("https://ann:pw@example.org", "https://<secret>@example.org"),
        ("a -----BEGIN RSA PRIVATE KEY-----\nMI\n-----END RSA PRIVATE KEY----- b", "a <secret> b"),
        ("-----BEGIN PRIVATE KEY-----\nMII", "<secret>"),
        ("-----BEGIN CERTIFICATE-----\nMII", "-----BEGIN CERTIFICATE-----\nMII"),
        ("author: ann, monkey=1, KeyError: 'x'", "author: ann, monkey=1, KeyError: 'x'"),
    ],
)
def test_secrets_in_text(text: str, expected: str) -> None:
    assert hide_secrets(text) == expected


@pytest.mark.parametrize(
    "name",
    [
        *("HF_TOKEN", "TF_TOKEN_app_terraform_io", "accessToken", "password", "DB_PASSWD"),
        *("WANDB_API_KEY", "APIKEY", "SIGNING_KEY", "MY_KEY", "CLIENT_SECRET", "NVIDIA_AUTH"),
        *("GOOGLE_APPLICATION_CREDENTIALS", "HTTP_AUTHORIZATION"),
    ],
)
def test_names_of_secrets(name: str) -> None:
    assert secret_name(name)


@pytest.mark.parametrize(
    "name", ["TOKENIZERS_PARALLELISM", "author", "KEYBOARD", "monkey", "KERAS_HOME"]
)
def test_other_names(name: str) -> None:
    assert not secret_name(name)
