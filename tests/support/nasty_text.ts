import * as fc from "fast-check";

/**
 * One character of any script, like fast-check's "binary" unit. That unit needs a second in every
 * test file to build its character table.
 */
export const anyCharacter = fc.oneof(
  fc.integer({ min: 0, max: 0xd7ff }),
  fc.integer({ min: 0xe000, max: 0x10ffff }),
).map((code) => String.fromCodePoint(code));

/**
 * Strings that programs often handle wrongly: other scripts, control characters, lone surrogates,
 * and the syntax of SQL, filters and template variables.
 */
export const nastyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.constantFrom(
    ...["\0", "\ud800", "%00", "null", "true", "1e999", "{}", "{{1}}"],
    ...["'; drop table contacts; --", '","id.gt."0'],
  ),
);
