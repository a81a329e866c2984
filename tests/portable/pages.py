"""Pages of models in a browser."""

READY = "#try:visible"
ANSWERS = """async (documents) => {
    const { library, content } = JSON.parse(document.getElementById("data").textContent);
    const model = await Model.open(await unpack(library), await unpack(content));
    return documents.map((one) => model.predict(one));
}"""


def answers_in(visit, documents):
    """What the model of a page answers, past its boxes."""
    return visit.page.evaluate(ANSWERS, documents)


def wait_for_words(visit):
    """The words are explained after the answer."""
    visit.page.wait_for_selector("#result[aria-busy=false]")


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
