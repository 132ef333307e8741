// The same as app.phone_key in the database, for filters: a test compares the two.

/** The phone that identifies a person: spellings that the channel treats as one number give one key. */
export function phoneKey(phone: string): string {
  // Brazil: mobiles got a ninth digit. Only the old mobile range (6 to 9) ever had the short spelling.
  if (/^\+55[1-9][0-9][6-9][0-9]{7}$/.test(phone)) return `${phone.slice(0, 5)}9${phone.slice(5)}`;
  // Mexico: mobiles used to have a 1 before their ten digits.
  if (/^\+521[0-9]{10}$/.test(phone)) return `+52${phone.slice(-10)}`;
  // Argentina: the 9 before a mobile's ten digits is for calls from abroad.
  if (/^\+549[0-9]{10}$/.test(phone)) return `+54${phone.slice(-10)}`;
  return phone;
}
