#include "library/analyzer.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "model/refusal.h"
#include "text/analysis.h"
#include "text/unicode.h"

namespace wordplane {

namespace {

using Range = std::optional<std::pair<int, int>>;
using Words = std::vector<std::string>;

constexpr double kMostNumber = 1e30;
constexpr int kMostHashBits = 28, kMostLength = 100;
constexpr std::size_t kMostFields = 100;
constexpr std::string_view kWordTokens[] = {"words", "spaced", "counts"};
constexpr std::string_view kRequired[] = {
    "tokens",       "ngrams",   "lowercase", "boundaries", "negation", "chars",
    "chars_across", "prefixes", "suffixes",  "shapes",     "lengths",  "known_words",
    "triggers",     "lexica",   "columns",   "min_df",     "max_df",   "max_features",
    "tf",           "idf",      "norm",      "weights"};
constexpr std::string_view kOptional[] = {"strip_accents", "normalize",  "forbid", "stop_words",
                                          "stem",          "embeddings", "fields", "select",
                                          "conjoin",       "hash_bits"};
constexpr std::string_view kWeightedGroups[] = {"word",   "char",    "length",    "prefix", "shape",
                                                "suffix", "trigger", "embedding", "vector", "and"};

// What negates if the analyzer does not say which words do; text/negation.py has the same.
Words usual_negations() {
  return {"not",    "no",       "never",   "nor",    "neither",  "none",
          "nobody", "nothing",  "nowhere", "cannot", "cant",     "without",
          "hardly", "scarcely", "barely",  "*n't",   "*n\u2019t"};
}

template <class Names>
bool is_among(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

std::string lower_case(std::string_view text) {
  std::string lowered;
  lower(text, lowered);
  return lowered;
}

// The entries by name, in the form that is expected.
class Entries {
 public:
  explicit Entries(const Json& described) : described_(described) {
    refuse_unless(described.is_object(), "an analyzer without entries");
    for (const std::string_view name : kRequired)
      if (!described.find(name)) wrong(name);
    for (const std::string& name : described.keys())
      if (!is_among(kRequired, name) && !is_among(kOptional, name)) wrong(name);
  }

  [[noreturn]] static void wrong(std::string_view name) {
    refuse("the analyzer's " + std::string(name) + " is missing or wrong");
  }
  static void require(bool holds, std::string_view name) {
    if (!holds) wrong(name);
  }

  // nullptr if it is not there, or null.
  const Json* find(std::string_view name) const {
    const Json* const found = described_.find(name);
    return found && !found->is(Json::Kind::null) ? found : nullptr;
  }

  bool flag(std::string_view name) const {
    const Json* const found = described_.find(name);
    if (!found && is_among(kOptional, name)) return false;
    require(found && found->is(Json::Kind::boolean), name);
    return found->truth;
  }

  std::string text(std::string_view name) const {
    const Json* const found = find(name);
    require(found && found->is_text() && !found->text().empty(), name);
    return found->text();
  }

  static int length(const Json& value, std::string_view name) {
    require(value.is(Json::Kind::integer) && value.number >= 1 && value.number <= kMostLength,
            name);
    return static_cast<int>(value.whole);
  }

  Range range(std::string_view name) const {
    const Json* const found = find(name);
    if (!found) return {};
    require(found->is_list() && found->entries().size() == 2, name);
    const int low = length(found->entries()[0], name), high = length(found->entries()[1], name);
    require(low <= high, name);
    return std::pair(low, high);
  }

  std::vector<int> lengths(std::string_view name) const {
    const Json* const found = find(name);
    require(found && found->is_list(), name);
    std::set<int> sorted;
    for (const Json& value : found->entries()) sorted.insert(length(value, name));
    return {sorted.begin(), sorted.end()};
  }

  static Words texts(const Json& list, std::string_view name) {
    require(list.is_list(), name);
    Words found;
    for (const Json& value : list.entries()) {
      require(value.is_text() && !value.text().empty(), name);
      found.push_back(value.text());
    }
    return found;
  }

  static double number(const Json& value, std::string_view name) {
    require(value.is_number() && std::abs(value.number) <= kMostNumber, name);
    return value.number;
  }

  // A whole number of at least `least`, if there is one.
  const Json* whole(std::string_view name, double least) const {
    const Json* const found = find(name);
    require(!found || (found->is(Json::Kind::integer) && found->number >= least), name);
    return found;
  }

  // Calls each(name, value) for the entries of an object, if there is one.
  template <class Each>
  void each(std::string_view name, Each&& call) const {
    const Json* const found = find(name);
    if (!found) return;
    require(found->is_object(), name);
    for (std::size_t i = 0; i < found->keys().size(); ++i) {
      require(!found->keys()[i].empty(), name);
      call(found->keys()[i], found->entries()[i]);
    }
  }

 private:
  const Json& described_;
};

Folding read_folding(const Entries& entries) {
  Folding folding{entries.flag("lowercase"), entries.flag("strip_accents"), false, false, false};
  if (const Json* const names = entries.find("normalize")) {
    for (const std::string& name : Entries::texts(*names, "normalize")) {
      Entries::require(name == "urls" || name == "mentions" || name == "numbers", "normalize");
      (name == "urls"       ? folding.urls
       : name == "mentions" ? folding.mentions
                            : folding.numbers) = true;
    }
  }
  return folding;
}

Words read_stop_words(const Entries& entries, const Folding& folding) {
  std::set<std::string> folded;
  const Folding letters{folding.lowercase, folding.accents, false, false, false};
  if (const Json* const words = entries.find("stop_words")) {
    for (const std::string& word : Entries::texts(*words, "stop_words")) {
      std::string out;
      fold(word, letters, out);
      folded.insert(out);
    }
  }
  return {folded.begin(), folded.end()};
}

Words read_negations(const Entries& entries) {
  const Json* const negation = entries.find("negation");
  Entries::require(negation != nullptr, "negation");
  if (negation->is(Json::Kind::boolean)) return negation->truth ? usual_negations() : Words();
  Words words = Entries::texts(*negation, "negation");
  for (std::string& word : words) word = lower_case(word);
  return words;
}

std::shared_ptr<const Stems> read_stems(const Entries& entries) {
  std::vector<std::pair<std::string, std::string>> pairs;
  entries.each("stem", [&](const std::string& word, const Json& stem) {
    Entries::require(stem.is_text() && !stem.text().empty(), "stem");
    pairs.emplace_back(word, stem.text());
  });
  return pairs.empty() ? nullptr : std::make_shared<const Stems>(pairs);
}

TokenFeatures read_token_features(const Entries& entries, const Folding& folding) {
  TokenFeatures features;
  features.spaced = entries.text("tokens") == "spaced";
  features.folding = folding;
  const Range chars = entries.range("chars");
  if (chars && !entries.flag("chars_across"))
    std::tie(features.min_chars, features.max_chars) = *chars;
  features.prefixes = entries.lengths("prefixes");
  features.suffixes = entries.lengths("suffixes");
  features.shapes = entries.flag("shapes");
  features.lengths = entries.flag("lengths");
  if (const Json* const known = entries.find("known_words")) {
    std::set<std::string> words;
    for (const std::string& word : Entries::texts(*known, "known_words"))
      words.insert(lower_case(word));
    features.known_words.assign(words.begin(), words.end());
  }
  entries.each("triggers", [&](const std::string& name, const Json& words) {
    features.triggers.push_back({name, Entries::texts(words, "triggers")});
  });
  return features;
}

bool has_word_features(const TokenFeatures& features) {
  return !features.prefixes.empty() || !features.suffixes.empty() || features.shapes ||
         features.lengths || !features.known_words.empty();
}

void read_fields(const Entries& entries, Analyzer& analyzer) {
  const Json* const fields = entries.find("fields");
  if (!fields) return;
  Entries::require(fields->is_object() && fields->keys().size() <= kMostFields, "fields");
  entries.each("fields", [&](const std::string& name, const Json& weight) {
    const double w = Entries::number(weight, "fields");
    Entries::require(w > 0, "fields");
    analyzer.fields.emplace_back(name, w);
  });
}

void read_lexica(const Entries& entries, Analyzer& analyzer) {
  entries.each("lexica", [&](const std::string& name, const Json& lexicon) {
    Entries::require(lexicon.is_object(), "lexica");
    std::vector<double> scores;
    for (std::size_t i = 0; i < lexicon.keys().size(); ++i) {
      Entries::require(!lexicon.keys()[i].empty(), "lexica");
      scores.push_back(Entries::number(lexicon.entries()[i], "lexica"));
    }
    analyzer.lexica.push_back(std::make_shared<const Lexicon>(
        Lexicon{name, Vocabulary::from_names(lexicon.keys(), Parts::words), std::move(scores)}));
  });
}

void read_weighting(const Entries& entries, Analyzer& analyzer) {
  analyzer.tf = tf_named(entries.text("tf"));
  const Json* const norm = entries.find("norm");
  analyzer.norm = norm_named(norm ? std::optional(entries.text("norm")) : std::nullopt);
  if (entries.find("idf")) {
    const std::string idf = entries.text("idf");
    Entries::require(idf == "smooth" || idf == "exact" || idf == "delta", "idf");
    analyzer.has_idf = true;
  }
  entries.each("weights", [&](const std::string& group, const Json& weight) {
    Entries::require(is_among(kWeightedGroups, group), "weights");
    analyzer.weights[group] = Entries::number(weight, "weights");
  });
}

// Which features were chosen does not matter any more, but is checked as it is in Python.
void check_selection(const Entries& entries) {
  Entries::require(entries.whole("min_df", 1) != nullptr, "min_df");
  const Json* const max_df = entries.find("max_df");
  Entries::require(max_df && max_df->is_number() && max_df->number > 0 && max_df->number <= 1,
                   "max_df");
  entries.whole("max_features", 1);
  if (!entries.find("select")) return;
  const std::string select = entries.text("select");
  const std::string_view text = select, score = text.substr(0, text.find(':'));
  constexpr std::string_view kScores[] = {"ig", "chi2", "tfidf", "df"};
  const std::string_view m = text.substr(std::min(score.size() + 1, text.size()));
  const bool is_number = !m.empty() && m.find_first_not_of("0123456789") == m.npos &&
                         m.find_first_not_of('0') != m.npos;
  Entries::require(is_among(kScores, score) && is_number, "select");
}

void check_counts(const Entries& entries, const TokenFeatures& features, bool negates) {
  const Range ngrams = entries.range("ngrams");
  refuse_unless(ngrams && ngrams->second == 1 && !entries.flag("boundaries"),
                "word:count texts have no order of words");
  refuse_unless(!negates && !has_word_features(features) && features.triggers.empty() &&
                    !entries.range("chars") && !features.folding.has_names(),
                "word:count texts have words only");
}

void check_hashing(const Entries& entries, const TokenFeatures& features) {
  const bool has_columns = entries.find("min_df")->number != 1 ||
                           entries.find("max_df")->number != 1 || entries.find("max_features") ||
                           entries.find("select");
  refuse_unless(!has_columns, "hashed features with columns of their own");
  refuse_unless(!has_word_features(features) && features.triggers.empty(),
                "hashed features of other than words and characters");
}

void check_together(const Entries& entries, const Analyzer& analyzer, const TokenFeatures& features,
                    bool negates) {
  const std::string tokens = entries.text("tokens");
  refuse_unless(is_among(kWordTokens, tokens) || !(negates || has_word_features(features)),
                "features of words, and tokens that are not words");
  if (tokens == "counts") check_counts(entries, features, negates);
  if (analyzer.n_hashed > 0) check_hashing(entries, features);
  if (!analyzer.fields.empty())
    refuse_unless(analyzer.n_hashed == 0 && analyzer.tf != Tf::relative,
                  "fields of hashed features or relative counts");
}

void refuse_other_features(const Entries& entries) {
  const auto refuse_entry = [&](std::string_view name, Json::Kind kind, const char* what) {
    const Json* const found = entries.find(name);
    refuse_unsupported(found && !found->entries().empty(), what);
    Entries::require(!found || found->is(kind), name);
  };
  refuse_entry("embeddings", Json::Kind::array, "word embeddings");
  refuse_entry("columns", Json::Kind::object, "columns next to the text");
  refuse_entry("forbid", Json::Kind::array, "forbidden words");
  refuse_unsupported(entries.whole("conjoin", 2), "conjunctions of features");
}

}  // namespace

Analyzer read_analyzer(const Json& described) {
  const Entries entries(described);
  refuse_other_features(entries);
  check_selection(entries);
  Analyzer analyzer;
  const std::string tokens = entries.text("tokens");
  Entries::require(tokens != "chars", "tokens");
  const Folding folding = read_folding(entries);
  const bool boundaries = entries.flag("boundaries"), across = entries.flag("chars_across");
  const Range ngrams = entries.range("ngrams"), chars = entries.range("chars");
  const Words stop_words = read_stop_words(entries, folding), negations = read_negations(entries);
  const TokenFeatures of_tokens = read_token_features(entries, folding);
  read_fields(entries, analyzer);
  read_lexica(entries, analyzer);
  read_weighting(entries, analyzer);
  if (const Json* const bits = entries.whole("hash_bits", 1)) {
    Entries::require(bits->number <= kMostHashBits, "hash_bits");
    analyzer.n_hashed = 1u << bits->whole;
  }
  check_together(entries, analyzer, of_tokens, !negations.empty());
  const Folding case_only{folding.lowercase, false, false, false, false};
  analyzer.plain = make_analysis(tokens, case_only, false, {1, 1}, {}, {}, nullptr);
  const auto stems = read_stems(entries);
  if (ngrams)
    analyzer.parts.push_back(
        {"words", make_analysis(tokens, folding, boundaries, *ngrams, stop_words, negations, stems),
         static_cast<std::size_t>(ngrams->second)});
  if (chars && across)
    analyzer.parts.push_back({"chars", make_analysis("chars", folding, false, *chars, {}, {}, {}),
                              static_cast<std::size_t>(chars->second)});
  if (of_tokens.max_chars > 0 || has_word_features(of_tokens) || !of_tokens.triggers.empty())
    analyzer.parts.push_back({"tokens", of_tokens, 1});
  return analyzer;
}

}  // namespace wordplane
