import * as fc from "fast-check";

/**
 * Texts that programs get wrong: other scripts, control characters, half surrogate pairs, the syntax of SQL,
 * of filters and of template variables.
 */
export const nastyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.constantFrom(
    ...["\0", "\ud800", "%00", "null", "true", "1e999", "{}", "{{1}}"],
    ...["'; drop table contacts; --", '","id.gt."0'],
  ),
);
