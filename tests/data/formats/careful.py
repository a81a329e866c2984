"""Files read by a fast reader of the common case, and with care."""

import pytest

from wordplane.common.errors import WordplaneError
from wordplane.data.formats.records import RecordTable
from wordplane.data.read import read_batches


def check_same(path):
    """Both ways give the same batches, whatever their size, or the same error."""
    for skip_bad in False, True:
        for batch_size in None, 1, 2:
            fast = outcome(path, batch_size, skip_bad)
            with pytest.MonkeyPatch().context() as patch:
                patch.setattr(RecordTable, "_may_be_plain", lambda _: False)
                assert fast == outcome(path, batch_size, skip_bad)


def outcome(path, batch_size, skip_bad):
    """What reading gives, or the error."""
    options = {"text": "text", "label": "label", "extra": "n", "skip_bad": skip_bad}
    try:
        corpora = list(read_batches(path, batch_size=batch_size, **options))
    except WordplaneError as error:
        return str(error)
    return [(list(one.texts), repr(one.labels), repr(one.extras), one.notes) for one in corpora]
