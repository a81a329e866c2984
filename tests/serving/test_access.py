"""Tests of wordplane.serving.access: who may ask, on which address."""

import socket

import pytest

from wordplane.serving.access import Access
from wordplane.serving.problems import Problem
from wordplane.serving.request import Request, Shares
from wordplane.serving.settings import Limits, ServeOptions

TOKEN = "0123456789abcdef"


def check(options, path="/v1/predict", **headers):
    scope = {"headers": [(name.encode(), value.encode()) for name, value in headers.items()]}
    Access(options).check(Request(scope, None, Limits(), Shares(1, "")), path)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "films.example"])
def test_other_names_are_refused_on_every_address_without_a_token(host):
    options = ServeOptions(models=("m",), host=host, no_token=True, host_names=("www.example",))
    for name in ("evil.example", "192.0.2.1.evil.example", "", "localhost@evil.example"):
        with pytest.raises(Problem, match="Host"):
            check(options, host=name)
    own = socket.gethostname().lower()
    for name in ("192.0.2.1:8000", "10.1.2.3", "[2001:db8::1]:80", "localhost", "www.example", own):
        check(options, host=name)


def test_the_name_that_it_is_bound_to():
    check(
        ServeOptions(models=("m",), host="films.example", no_token=True), host="Films.example.:80"
    )


def test_with_a_token_any_name_will_do():
    options = ServeOptions(models=("m",), host="0.0.0.0", token=TOKEN)
    check(options, host="any.example", authorization=f"Bearer {TOKEN}")
    check(options, "/healthz", host="any.example")
    with pytest.raises(Problem, match="token"):
        check(options, host="localhost")
