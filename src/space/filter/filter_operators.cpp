#include "space/filter/filter_operators.hpp"

#include <fmt/format.h>
#include <mpOprtNonCmplx.h>
#include <mpValReader.h>

#include <array>
#include <cmath>

namespace scalesweep::space {
namespace {

enum class Kind { number, name, condition };

Kind kind_of(const mup::IValue& value) {
  switch (value.GetType()) {
    case 'b':
      return Kind::condition;
    case 's':
      return Kind::name;
    default:
      return Kind::number;
  }
}

const char* text_of(Kind kind) {
  constexpr std::array<const char*, 3> texts = {"a number", "a name", "a condition"};
  return texts.at(static_cast<std::size_t>(kind));
}

using Values = const mup::ptr_val_type*;

class Logic : public mup::IOprtBin {
 public:
  Logic(const char* symbol, const char* word, mup::EOprtPrecedence precedence)
      : IOprtBin(symbol, precedence, mup::oaLEFT), word_(word) {}

  void Eval(mup::ptr_val_type& result, Values sides, int) override {
    for (int side = 0; side < 2; ++side) {
      if (const Kind kind = kind_of(*sides[side]); kind != Kind::condition) {
        throw OperandError(
            fmt::format("'{}' joins conditions, and one side is {}", word_, text_of(kind)),
            GetExprPos());
      }
    }
    const bool left = sides[0]->GetBool();
    const bool right = sides[1]->GetBool();
    *result = GetPri() == mup::prLOGIC_AND ? left && right : left || right;
  }
  const mup::char_type* GetDesc() const override { return word_; }
  IToken* Clone() const override { return new Logic(*this); }

 private:
  const char* word_;
};

class Not : public mup::IOprtInfix {
 public:
  // Binds less than comparisons: not a == b is not (a == b).
  Not() : IOprtInfix("!", mup::prBIT_AND) {}

  void Eval(mup::ptr_val_type& result, Values sides, int) override {
    if (const Kind kind = kind_of(*sides[0]); kind != Kind::condition) {
      throw OperandError(fmt::format("'not' takes a condition, not {}", text_of(kind)),
                         GetExprPos());
    }
    *result = !sides[0]->GetBool();
  }
  const mup::char_type* GetDesc() const override { return "not"; }
  IToken* Clone() const override { return new Not(*this); }
};

// == and != of two things of one kind.
class Equality : public mup::IOprtBin {
 public:
  Equality(const char* symbol, bool when_equal)
      : IOprtBin(symbol, mup::prRELATIONAL1, mup::oaLEFT), when_equal_(when_equal) {}

  void Eval(mup::ptr_val_type& result, Values sides, int) override {
    const Kind left = kind_of(*sides[0]);
    const Kind right = kind_of(*sides[1]);
    if (left != right) {
      throw OperandError(fmt::format("{} does not compare with {}", text_of(left), text_of(right)),
                         GetExprPos());
    }
    *result = equal(left, *sides[0], *sides[1]) == when_equal_;
  }
  const mup::char_type* GetDesc() const override { return "equality"; }
  IToken* Clone() const override { return new Equality(*this); }

 private:
  static bool equal(Kind kind, const mup::IValue& left, const mup::IValue& right) {
    switch (kind) {
      case Kind::name:
        return left.GetString() == right.GetString();
      case Kind::condition:
        return left.GetBool() == right.GetBool();
      case Kind::number:
        break;
    }
    return left.GetFloat() == right.GetFloat();
  }

  bool when_equal_;
};

// Of two numbers. Names have no order: "N10" is not before "N7".
class Order : public mup::IOprtBin {
 public:
  using Holds = bool (*)(double, double);
  Order(const char* symbol, Holds holds)
      : IOprtBin(symbol, mup::prRELATIONAL2, mup::oaLEFT), holds_(holds) {}

  void Eval(mup::ptr_val_type& result, Values sides, int) override {
    for (int side = 0; side < 2; ++side) {
      const Kind kind = kind_of(*sides[side]);
      if (kind == Kind::name) {
        throw OperandError("names have no order; compare them with == or !=", GetExprPos());
      }
      if (kind == Kind::condition) {
        throw OperandError("a condition has no order; for a range write 'a <= x and x <= b'",
                           GetExprPos());
      }
    }
    *result = holds_(sides[0]->GetFloat(), sides[1]->GetFloat());
  }
  const mup::char_type* GetDesc() const override { return "order"; }
  IToken* Clone() const override { return new Order(*this); }

 private:
  Holds holds_;
};

class Arithmetic : public mup::IOprtBin {
 public:
  using Compute = double (*)(double, double);
  Arithmetic(const char* symbol, mup::EOprtPrecedence precedence, Compute compute)
      : IOprtBin(symbol, precedence, mup::oaLEFT), compute_(compute) {}

  void Eval(mup::ptr_val_type& result, Values sides, int) override {
    for (int side = 0; side < 2; ++side) {
      if (const Kind kind = kind_of(*sides[side]); kind != Kind::number) {
        throw OperandError(fmt::format("computing takes numbers, not {}", text_of(kind)),
                           GetExprPos());
      }
    }
    *result = compute_(sides[0]->GetFloat(), sides[1]->GetFloat());
  }
  const mup::char_type* GetDesc() const override { return "arithmetic"; }
  IToken* Clone() const override { return new Arithmetic(*this); }

 private:
  Compute compute_;
};

class Minus : public mup::IOprtInfix {
 public:
  Minus() : IOprtInfix("-", mup::prINFIX) {}

  void Eval(mup::ptr_val_type& result, Values sides, int) override {
    if (const Kind kind = kind_of(*sides[0]); kind != Kind::number) {
      throw OperandError(fmt::format("'-' takes a number, not {}", text_of(kind)), GetExprPos());
    }
    *result = -sides[0]->GetFloat();
  }
  const mup::char_type* GetDesc() const override { return "minus"; }
  IToken* Clone() const override { return new Minus(*this); }
};

void define_numeric(mup::ParserX& parser) {
  parser.DefineOprt(new Order("<", [](double a, double b) { return a < b; }));
  parser.DefineOprt(new Order("<=", [](double a, double b) { return a <= b; }));
  parser.DefineOprt(new Order(">", [](double a, double b) { return a > b; }));
  parser.DefineOprt(new Order(">=", [](double a, double b) { return a >= b; }));
  parser.DefineOprt(new Arithmetic("+", mup::prADD_SUB, [](double a, double b) { return a + b; }));
  parser.DefineOprt(new Arithmetic("-", mup::prADD_SUB, [](double a, double b) { return a - b; }));
  parser.DefineOprt(new Arithmetic("*", mup::prMUL_DIV, [](double a, double b) { return a * b; }));
  parser.DefineOprt(new Arithmetic("/", mup::prMUL_DIV, [](double a, double b) { return a / b; }));
  parser.DefineOprt(
      new Arithmetic("%", mup::prMUL_DIV, [](double a, double b) { return std::fmod(a, b); }));
  parser.DefineInfixOprt(new Minus);
}

}  // namespace

void define_filter_language(mup::ParserX& parser) {
  parser.EnableAutoCreateVar(false);
  parser.DefineOprtChars("+-*/%<>=!&|");
  parser.DefineInfixOprtChars("-!");
  parser.AddValueReader(new mup::DblValReader);
  parser.AddValueReader(new mup::BoolValReader);
  parser.AddValueReader(new mup::StrValReader);
  parser.DefineOprt(new Logic("&&", "and", mup::prLOGIC_AND));
  parser.DefineOprt(new Logic("||", "or", mup::prLOGIC_OR));
  parser.DefineInfixOprt(new Not);
  parser.DefineOprt(new Equality("==", true));
  parser.DefineOprt(new Equality("!=", false));
  define_numeric(parser);
}

}  // namespace scalesweep::space
