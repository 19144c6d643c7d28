// SPDX-License-Identifier: Apache-2.0

// The error message for a text that is not a version constraint.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "anycuda/compat/constraint.h"
#include "anycuda/compat/errors.h"

namespace anycuda::compat {
namespace {

using testing::HasSubstr;

struct Wrong {
  const char* constraint;
  const char* problem;  // what the message says
};
void PrintTo(const Wrong& c, std::ostream* out) {
  *out << testing::PrintToString(std::string(c.constraint));
}

class WrongConstraints : public testing::TestWithParam<Wrong> {};

std::string message_of(const std::string& constraint) {
  try {
    const Constraint made(constraint);
    ADD_FAILURE() << "no error for " << constraint;
  } catch (const ConstraintError& error) {
    return error.what();
  }
  return "";
}

TEST_P(WrongConstraints, AreQuotedWithTheFaultAndTheAcceptedForms) {
  const std::string message = message_of(GetParam().constraint);
  EXPECT_THAT(message, testing::StartsWith("\"" + std::string(GetParam().constraint) +
                                           "\" is not a version constraint: "));
  EXPECT_THAT(message, HasSubstr(GetParam().problem));
  EXPECT_THAT(message, HasSubstr("Accepted are PEP 440 clauses joined by commas, each an operator "
                                 "(~=, ==, !=, <=, >=, <, >, ===) and a version"));
}

INSTANTIATE_TEST_SUITE_P(
    Table, WrongConstraints,
    testing::Values(
        Wrong{"13.2", "the clause \"13.2\" has no operator; perhaps \"==13.2.*\" or \">=13.2\""},
        Wrong{"", "it is empty"}, Wrong{" ", "it is empty"}, Wrong{",", "it has an empty clause"},
        Wrong{">=12.4,", "it has an empty clause"}, Wrong{">=12.4, ,<13", "it has an empty clause"},
        Wrong{",<13", "it has an empty clause"},
        Wrong{">=12.4,13", "the clause \"13\" has no operator; perhaps"},
        Wrong{"=13", "the clause \"=13\" has no operator. Accepted"},
        Wrong{"=>13", "the clause \"=>13\" has no operator"},
        Wrong{"~13", "the clause \"~13\" has no operator"},
        Wrong{"^13", "the clause \"^13\" has no operator"},
        Wrong{"!13", "the clause \"!13\" has no operator"},
        Wrong{"latest", "the clause \"latest\" has no operator. Accepted"},
        Wrong{"13.*", "the clause \"13.*\" has no operator"},
        Wrong{">=12.4 <13", "names \"12.4 <13\", which is not a version"},
        Wrong{"<>13", "names \">13\", which is not a version"},
        Wrong{">", "the clause \">\" has no version"},
        Wrong{">=12.4,== ", "the clause \"==\" has no version"},
        Wrong{"===", "the clause \"===\" has no version"}, Wrong{"===1 0", "has a blank"},
        Wrong{"===1;", "has a blank"}, Wrong{"==13.x", "names \"13.x\", which is not a version"},
        Wrong{"==13*", "names \"13*\", which is not a version"},
        Wrong{"==13 .*", "names \"13 .*\", which is not a version"},
        Wrong{"==.*", "names \".*\", which is not a version"},
        Wrong{"==*", "names \"*\", which is not a version"},
        Wrong{"==13.*.*", "names \"13.*.*\", which is not a version"},
        Wrong{"==13.*.2", "names \"13.*.2\", which is not a version"},
        Wrong{">=13.*", "has \".*\", which >= does not accept"},
        Wrong{"<=13.*", "has \".*\", which <= does not accept"},
        Wrong{">13.*", "has \".*\", which > does not accept"},
        Wrong{"<13.*", "has \".*\", which < does not accept"},
        Wrong{"~=13.2.*", "has \".*\", which ~= does not accept"},
        Wrong{"==13.dev1.*", "has \".*\" after a development release"},
        Wrong{"!=13+x.*", "has \".*\" after a development release or a local version"},
        Wrong{">=13+x", "has a local version, which >= does not accept"},
        Wrong{"<13+x", "has a local version, which < does not accept"},
        Wrong{"~=13.2+x", "has a local version, which ~= does not accept"},
        Wrong{"~=13", "has one number, but ~= needs at least two"},
        Wrong{"~=13a1", "has one number, but ~= needs at least two"}));

TEST(WrongConstraint, ThatIsLongIsQuotedByItsBeginning) {
  const std::string message = message_of(std::string(1000000, '7'));
  EXPECT_THAT(message, testing::StartsWith("\"" + std::string(80, '7') + "...\" is not a"));
  EXPECT_LT(message.size(), 1000u);
  EXPECT_THAT(message_of(std::string(80, '7')),
              testing::StartsWith("\"" + std::string(80, '7') + "\" is not a"));
}

TEST(WrongConstraint, WithAZeroByteIsRefusedToo) {
  EXPECT_THAT(message_of(std::string("==1\0.*", 6)), HasSubstr("names \"1\\x00.*\""));
}

TEST(WrongConstraint, OfControlCharactersIsQuotedWithoutThem) {
  EXPECT_THAT(message_of("==\x1b[31m\x7f\xff"),
              testing::StartsWith("\"==\\x1b[31m\\x7f\\xff\" is not a"));
}

}  // namespace
}  // namespace anycuda::compat
