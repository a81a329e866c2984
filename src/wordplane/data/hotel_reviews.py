"""Reviews of hotels, written by a seeded program: short texts on which the methods differ.

A review has a label, good or bad, and four to six clauses. Most clauses are of the opinion of the
label, some of the other. What is in them on purpose:

    words of the long tail    few are frequent: smoothing, penalties, unlabeled texts
    negations                 "not clean", and "not at all clean": bigrams, NOT_ marking
    pairs that matter         "warm welcome", but "warm beer": no word alone decides
    sayings and footers       words that always come together and mean little: naive Bayes counts
                              them as often as there are words, and more often with bigrams
    names of places           words that occur once or twice, and mean nothing
    wrong labels              a few
"""

from random import Random

from wordplane._core import Texts
from wordplane.data.corpus import Corpus

# Of each subject: what is reviewed, and the words for it, from frequent to rare.
SUBJECTS = (
    (
        "room bed bathroom lobby balcony furniture suite corridor carpet bedroom",
        "clean comfortable spacious lovely quiet cozy bright modern beautiful tidy charming "
        "elegant roomy spotless stylish sunny airy immaculate luxurious restful inviting sparkling",
        "dirty noisy tiny uncomfortable smelly dark stained shabby cramped dusty filthy dated "
        "moldy gloomy worn damp musty grim drafty dingy grubby creaky",
    ),
    (
        "staff reception service waiter concierge manager owner cleaner",
        "friendly helpful polite attentive welcoming efficient kind cheerful generous thoughtful "
        "gracious courteous patient professional charming considerate flexible tactful",
        "rude unfriendly slow unhelpful careless arrogant impolite hostile chaotic grumpy clueless "
        "indifferent impatient dismissive disorganized sloppy incompetent sullen",
    ),
    (
        "breakfast food dinner restaurant coffee bread buffet soup",
        "delicious tasty fresh excellent plentiful varied superb crisp flavorful generous "
        "appetizing exquisite creamy homemade aromatic scrumptious hearty juicy",
        "bland stale greasy tasteless poor soggy overcooked watery sour bitter salty inedible "
        "burnt rancid lukewarm meager rubbery oily",
    ),
    (
        "location view pool garden neighborhood terrace beach spa gym parking",
        "great wonderful peaceful perfect nice relaxing fantastic gorgeous pleasant delightful "
        "refreshing splendid convenient idyllic stunning magnificent lush serene",
        "terrible awful disappointing crowded loud horrible dreadful boring neglected unsafe ugly "
        "depressing polluted unpleasant appalling murky bleak overpriced",
    ),
)
GOOD_PAIRS = (
    "warm welcome,cold beer,small price,high standard,long breakfast,hot shower,dark wood,"
    "quick reply,old town,cheap drinks,free upgrade,light meals,strong coffee,soft pillows,"
    "short walk,big smile,low price,early breakfast"
).split(",")
BAD_PAIRS = (
    "warm beer,cold welcome,small portions,high price,long queue,hot bedroom,dark corridor,"
    "quick brush-off,old sheets,cheap furniture,free roaches,light sleep impossible,strong smell,"
    "soft mattress,short opening hours,big mess,low pressure,early noise"
).split(",")
GOOD_SAYINGS = ("worth every penny", "home from home", "hidden gem indeed")
BAD_SAYINGS = ("waste of money", "once never again", "complete tourist trap")
GOOD_FOOTER = "Verified guest, booked through StayFinder travel club"
BAD_FOOTER = "Sent in reply to our customer survey email"
STARTS = ("{place} in {month}", "{place}", "visited {place}", "{month}", "{n} nights")
MONTHS = "January March April May June July August September October December".split()
PLAIN = ("the {thing} was {word}", "{word} {thing}", "the {thing} was very {word}")
NEGATED = (
    "the {thing} was not {word}",
    "not {word} {thing}",
    "the {thing} was not at all {word}",
    "never found the {thing} {word}",
    "the {thing} wasn't really {word}",
)
SYLLABLES = "ba dor fel gan hil ka lun mar nes or pel qui ros sal tor ul ven wes yar zim".split()

KINDS = (("plain", 0.62), ("negated", 0.22), ("pair", 0.1), ("saying", 0.06))
# The share of clauses, sayings and footers of the opinion of the label, and that of wrong labels.
AGREES, SAYING_AGREES, FOOTER_AGREES, WRONG = 0.9, 0.65, 0.65, 0.05


def hotel_reviews(n: int = 1000, *, footers: float = 0.4, random_state: int = 0) -> Corpus:
    """n reviews of hotels that a program wrote, half of them good and half bad.

    n             the number of reviews
    footers       the share of them that end with a line of the site they are from
    random_state  the seed

    >>> corpus = hotel_reviews(4)
    >>> corpus.labels
    ['bad', 'good', 'bad', 'good']
    """
    rng = Random(random_state)
    texts, labels = [], []
    for i in range(n):
        good = i % 2 == 1
        text = _review(rng, good != (rng.random() < WRONG))
        if rng.random() < footers:
            footer = GOOD_FOOTER if good == (rng.random() < FOOTER_AGREES) else BAD_FOOTER
            text = f"{text} {footer}."
        texts.append(text)
        labels.append("good" if good else "bad")
    return Corpus(Texts(texts), labels, source="hotel reviews written by a program")


def _review(rng: Random, good: bool) -> str:
    clauses = []
    if rng.random() < 0.6:
        start = STARTS[_any(rng, len(STARTS))]
        month = MONTHS[_any(rng, len(MONTHS))]
        clauses.append(start.format(place=_place(rng), n=2 + _any(rng, 9), month=month))
    clauses += [_clause(rng, good) for _ in range(4 + _any(rng, 3))]
    text = clauses[0]
    for clause in clauses[1:]:
        text += (", ", ". ", " and ")[_any(rng, 3)] + clause
    sentences = text.split(". ")
    return ". ".join(sentence[0].upper() + sentence[1:] for sentence in sentences) + "."


def _clause(rng: Random, good: bool) -> str:
    kind = _kind(rng)
    if kind == "saying":
        sayings = GOOD_SAYINGS if good == (rng.random() < SAYING_AGREES) else BAD_SAYINGS
        return sayings[_any(rng, len(sayings))]
    good = good == (rng.random() < AGREES)
    if kind == "pair":
        pairs = GOOD_PAIRS if good else BAD_PAIRS
        return pairs[_any(rng, len(pairs))]
    things, good_words, bad_words = SUBJECTS[_any(rng, len(SUBJECTS))]
    forms = NEGATED if kind == "negated" else PLAIN
    words = good_words if good != (kind == "negated") else bad_words
    form = forms[_any(rng, len(forms))]
    known = words.split()[: 6 if kind == "negated" else None]
    return form.format(thing=_frequent(rng, things.split()), word=_frequent(rng, known))


def _kind(rng: Random) -> str:
    at, total = rng.random(), 0.0
    for kind, share in KINDS:
        total += share
        if at < total:
            return kind
    return KINDS[-1][0]


def _any(rng: Random, n: int) -> int:
    """From 0 to n - 1, by `random` alone, whose numbers no version of Python changes."""
    return int(rng.random() * n)


def _frequent(rng: Random, words: list[str]) -> str:
    """One of the words, number k about 1 / k as often as the first."""
    return words[min(int((len(words) + 1) ** rng.random()), len(words)) - 1]


def _place(rng: Random) -> str:
    return "".join(SYLLABLES[_any(rng, len(SYLLABLES))] for _ in range(2 + _any(rng, 2))).title()
