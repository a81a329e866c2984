"""Pages of models in a browser."""

READY = "#try:visible"


def labels_in(visit, texts, index=0):
    """What the page says of texts: the answer, and the probability of the best label."""
    return visit.page.evaluate(
        """([texts, index]) => texts.map((text) => {
            const box = document.querySelectorAll("textarea")[index];
            box.value = text;
            box.dispatchEvent(new Event("input"));
            const said = (id) => document.getElementById(id).textContent;
            return [document.getElementById("result").hidden, said("answer"), said("confidence")];
        })""",
        [texts, index],
    )
