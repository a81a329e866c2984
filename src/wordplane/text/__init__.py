"""From text to tokens: what a word is and where it stands."""
