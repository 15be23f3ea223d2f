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
        (
            "to https://hooks.slack.com/services/T0/B0/xyz.",
            "to https://hooks.slack.com/services/<secret>",
        ),
        (
            "https://discord.com/api/webhooks/1/a_b/slack",
            "https://discord.com/api/webhooks/<secret>",
        ),
        ("--auth=abc --auth_mode=x", "--auth=<secret> --auth_mode=x"),
        ("--api-key abc next", "--api-key <secret> next"),
        ("WANDB_KEY=abc", "WANDB_KEY=<secret>"),
        ("https://ann:pw@example.org", "https://<secret>@example.org"),
        ("a -----BEGIN RSA PRIVATE KEY-----\nMI\n-----END RSA PRIVATE KEY----- b", "a <secret> b"),
        ("-----BEGIN PRIVATE KEY-----\nMII", "<secret>"),
        ("https://ann:p@ss@example.org/x", "https://<secret>@example.org/x"),
        ("https://ann:p/w@example.org/x", "https://<secret>@example.org/x"),
        ("https://example.org:8080/x@2", "https://example.org:8080/x@2"),
        ("psql ann:pw@db, cuda:12@sha256:ab", "psql <secret>@db, cuda:12@sha256:ab"),
        (
            "gs://b/x?X-Goog-Signature=ab12&X-Goog-Date=2026 end",
            "gs://b/x?X-Goog-Signature=<secret>&X-Goog-Date=2026 end",
        ),
        (
            "https://b.s3.com/x?X-Amz-Credential=A%2F1&X-Amz-Signature=f00&epoch=3",
            "https://b.s3.com/x?X-Amz-Credential=<secret>&X-Amz-Signature=<secret>&epoch=3",
        ),
        ("https://a.net/c?sv=2024&sig=Zm9v%3D&sp=r", "https://a.net/c?sv=2024&sig=<secret>&sp=r"),
        ("https://h/x?token=a#access_token=b", "https://h/x?token=<secret>"),
        ("https://h/x?id=9f86d081884c7d659a2feaa0", "https://h/x?id=<secret>"),
        (
            "AWS_ACCESS_KEY_ID=x AWS_REGION=eu-west-1 AWS_PROFILE='a b'",
            "AWS_ACCESS_KEY_ID=<secret> AWS_REGION=eu-west-1 AWS_PROFILE=<secret>",
        ),
        ("AccountName=a;AccountKey=Zm9v==;", "AccountName=a;AccountKey=<secret>;"),
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
