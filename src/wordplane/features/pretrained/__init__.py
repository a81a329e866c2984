"""Files of pretrained word vectors, recognized by their content.

read       which kind a file is of
archive    plain files, .gz, .zip and folders as streams of bytes
text       GloVe, word2vec and fastText `.vec`: a word and its numbers on each line
word2vec   the binary format of word2vec
fasttext   the `.bin` of fastText, with subwords
wink       the JSON of the npm packages `wink-embeddings-...`
tokens     model2vec and WordLlama: safetensors with a vector for each token
tokenizer  how such a file cuts words into tokens
vectors    what all of them become

All of them may come from strangers: nothing in a file is run, sizes are checked before memory is
taken for them, and vectors must be finite.
"""
