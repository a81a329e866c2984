import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordplane.common.errors import InputError
from wordplane.data.written_numbers import written_numbers


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["1.234", "980,00"], [1234.0, 980.0]),
        (["1.234 €", "0.5 €"], [1.234, 0.5]),
        (["1.234.567", "1"], [1234567.0, 1.0]),
        (["1\N{NO-BREAK SPACE}234,5 kg", "7 kg"], [1234.5, 7.0]),
        (["1'234.50 CHF", "CHF 3"], [1234.5, 3.0]),
        (["\N{MINUS SIGN}3,5", "+2"], [-3.5, 2.0]),
        (["0,125", "0,250"], [0.125, 0.25]),  # no group begins with 0
        (["12 €", "13 $", "14 €"], [12.0, None, 14.0]),
        (["1,2,3", "1.234,5.6", "12 50", "12.05.2024", "abc1", "", None], [None] * 7),
        ([], []),
    ],
)
def test_a_column_is_read_as_a_whole(values, numbers):
    assert written_numbers(values) == numbers


def test_numbers_that_have_two_readings_are_refused():
    with pytest.raises(InputError, match=r"'1\.234' could be 1\.234 or 1234"):
        written_numbers(["980", "1.234", "2.500"])


@given(
    st.lists(st.integers(-(10**9), 10**9), min_size=1), st.sampled_from([(",", "."), (".", ",")])
)
def test_numbers_come_back_from_either_way_to_write_them(cents, marks):
    point, comma = marks
    numbers = [n / 100 for n in cents]
    table = str.maketrans({".": point, ",": comma})
    assert written_numbers([f"{number:,.2f} €".translate(table) for number in numbers]) == numbers
