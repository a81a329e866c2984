"""Words that say little about what a text is about."""

# Words of grammar: articles, pronouns, prepositions, conjunctions, auxiliaries, adverbs of place
# and degree. Words that negate are not among them, since they turn an opinion around.
ENGLISH = tuple(
    """
    a about above across after afterwards again against all almost along already also although
    always am among amongst an and another any anybody anyhow anyone anything anyway anywhere are
    around as at away back be became because become becomes been before beforehand behind being
    below beside besides between beyond both but by can could did do does doing done down due during
    each either else elsewhere enough etc even ever every everybody everyone everything everywhere
    few for former from further had has have having he he'd he'll he's hence her here here's hers
    herself him himself his how how's however i i'd i'll i'm i've if in indeed into is it it'd it'll
    it's its itself just last latter least less let's many may me meanwhile might mine more moreover
    most mostly much must my myself namely now of off often on once one only onto or other others
    otherwise our ours ourselves out over own per perhaps please quite rather really s same several
    shall she she'd she'll she's should since so some somebody somehow someone something sometimes
    somewhere soon still such t than that that'll that's the their theirs them themselves then
    thence there there's thereby therefore these they they'd they'll they're they've this those
    though through throughout thus to together too toward towards under until up upon us very via
    was we we'd we'll we're we've well were what what's whatever when when's whence whenever where
    where's whereas whereby wherever whether which while who who's whoever whole whom whose why
    why's will with within would yet you you'd you'll you're you've your yours yourself yourselves
    """.split()
)
