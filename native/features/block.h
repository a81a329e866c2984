// A part of the features of a text model: how they are read, and their columns.
#pragma once

#include <memory>
#include <variant>

#include "text/token_features.h"
#include "text/vocabulary.h"

namespace wordplane {

struct Block {
  std::variant<Analysis, TokenFeatures> features;
  std::shared_ptr<const Vocabulary> vocabulary;

  std::unique_ptr<Reader> reader() const {
    if (const auto* analysis = std::get_if<Analysis>(&features))
      return std::make_unique<NgramReader>(*analysis, *vocabulary);
    return std::make_unique<TokenFeatureReader>(
        std::get<TokenFeatures>(features), [known = vocabulary.get()](std::string_view name) {
          const std::uint32_t node = known->words().find(name);
          return node == kNone ? kNone : static_cast<std::uint32_t>(known->column(node));
        });
  }
};

}  // namespace wordplane
