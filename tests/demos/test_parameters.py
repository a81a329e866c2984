"""Tests of wordplane.demos.parameters: what `wordplane demo NAME --set` takes."""

import inspect

import pytest

from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.demos import DEMOS, find_demo
from wordplane.demos.parameters import parameters_of, read_settings

NAMES = [name for names in DEMOS.values() for name in names]
PARAMETERS = {name: parameters_of(find_demo(name)) for name in NAMES}


def test_nearly_all_demos_have_parameters():
    assert sum(bool(found) for found in PARAMETERS.values()) >= 50


@pytest.mark.parametrize("name", NAMES)
def test_defaults_are_within_their_ranges(name):
    for parameter in PARAMETERS[name].values():
        assert type(parameter.default) is parameter.kind
        assert parameter.read(str(parameter.default)) == parameter.default
        assert parameter.kind is str or parameter.within is not None
    assert all(
        argument.default is not inspect.Parameter.empty
        for argument in inspect.signature(find_demo(name)).parameters.values()
    )


def test_ends_of_ranges_are_valid():
    eta = PARAMETERS["descent"]["eta"]
    assert eta.read("10") == 10 and eta.read("1e-6") == 1e-6
    for wrong in ("10.01", "0", "-1", "nan", "fast", ""):
        with pytest.raises(InputError, match="expected a number from 1e-06 to 10"):
            eta.read(wrong)
    with pytest.raises(InputError, match="expected a whole number"):
        PARAMETERS["descent"]["n"].read("2.5")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (["eta"], "expected a parameter and a value"),
        (["etta=1"], "no parameter 'etta'; did you mean 'eta'? it has eta = 0.5, a number from"),
        (["eta=1", "eta=2"], "gives 'eta' twice"),
        (["seed=1"], "is an option of its own"),
    ],
)
def test_wrong_settings(settings, said):
    with pytest.raises(InputError) as error:
        read_settings("descent", find_demo("descent"), settings)
    assert said in str(error.value)


def test_no_parameters():
    with pytest.raises(InputError, match="has no parameters"):
        read_settings("sigmoid", find_demo("sigmoid"), ["n=1"])


def test_a_step_that_is_too_large_diverges(capsys):
    assert main(["demo", "descent", "--set", "eta=0.5", "--set", "steps=200"]) == 0
    reached, closed = capsys.readouterr().out.splitlines()
    assert reached.split("[")[1] == closed.split("[")[1]
    assert main(["demo", "descent", "--set", "eta=3", "--set", "steps=200", "--seed", "3"]) == 0
    reached, closed = capsys.readouterr().out.splitlines()
    assert "e+" in reached


def test_batches_of_all_points_are_gradient_descent(capsys):
    one = ["--set", "eta=0.3", "--set", "n=50"]
    assert main(["demo", "stochastic", *one, "--set", "batch_size=50", "--set", "epochs=7"]) == 0
    by_batch = capsys.readouterr().out
    assert main(["demo", "descent", *one, "--set", "steps=7"]) == 0
    assert capsys.readouterr().out == by_batch


@pytest.mark.parametrize(
    ("name", "setting", "said"),
    [
        ("one-feature", "alpha=0.9", "error 0.2250, formula 0.2250"),
        ("two-labels", "epsilon=0.05", "epsilon 0.05: stops at step 11; formula 11"),
        ("newton", "square=9", "3.000000000000000"),
        ("negation", "text=not good, but fine", "not NOT_good , but fine"),
        ("hand-set", "text=the con", "score"),
        ("die", "low=20", "P(1) = 0.1667"),
        ("averaging", "epochs=5", "lazy"),
        ("softmax", "temperature=1000", "0.333"),
    ],
)
def test_settings_have_an_effect(name, setting, said, capsys):
    assert main(["demo", name, "--set", setting]) == 0
    assert said in capsys.readouterr().out


@pytest.mark.parametrize("name", NAMES)
def test_help_lists_the_parameters(name, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["demo", name, "--help"])
    page = capsys.readouterr().out
    assert stop.value.code == 0
    assert [line for line in page.splitlines() if line.startswith("  --set ")] == [
        f"  --set {parameter}" for parameter in PARAMETERS[name].values()
    ]
    assert ("--seed N" in page) == ("seed" in inspect.signature(find_demo(name)).parameters)
