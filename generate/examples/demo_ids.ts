/**
 * Returns the id of a row in the demo data. All ids of one table share the same block of digits.
 */
export const demoId = (block: string, number: number) =>
  `de3000${block}-0000-4000-8000-${String(number).padStart(12, "0")}`;

/** Returns the id of a contact in the demo data. */
export const contact = (number: number) => demoId("06", number);
