// Filters compute the same key as `app.phone_key` in the database. A test compares the two
// functions.

/**
 * Returns the phone key, which identifies a person. All spellings of a phone number that the
 * channel treats as one number have the same key.
 */
export function phoneKey(phone: string): string {
  // Brazil: a ninth digit was added to mobile numbers. Only numbers in the old mobile range (6 to
  // 9) were ever written without the ninth digit.
  if (/^\+55[1-9][0-9][6-9][0-9]{7}$/.test(phone)) return `${phone.slice(0, 5)}9${phone.slice(5)}`;
  // Mexico: mobile numbers used to have a 1 before their ten digits.
  if (/^\+521[0-9]{10}$/.test(phone)) return `+52${phone.slice(-10)}`;
  // Argentina: in calls from abroad, a mobile number has a 9 before its ten digits.
  if (/^\+549[0-9]{10}$/.test(phone)) return `+54${phone.slice(-10)}`;
  return phone;
}
