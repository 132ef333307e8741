import * as fc from "fast-check";

/**
 * One character of any script. As fast-check's unit "binary", which takes a second of every file that uses it
 * to make its table of all characters.
 */
export const anyCharacter = fc.oneof(
  fc.integer({ min: 0, max: 0xd7ff }),
  fc.integer({ min: 0xe000, max: 0x10ffff }),
).map((code) => String.fromCodePoint(code));

/**
 * Texts that programs get wrong: other scripts, control characters, half surrogate pairs, the syntax of SQL,
 * of filters and of template variables.
 */
export const nastyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.constantFrom(
    ...["\0", "\ud800", "%00", "null", "true", "1e999", "{}", "{{1}}"],
    ...["'; drop table contacts; --", '","id.gt."0'],
  ),
);
