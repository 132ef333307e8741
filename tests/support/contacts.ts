/**
 * The fields of a contact that was created with only a phone number. Ids and times are not
 * included.
 */
export const NEW_CONTACT = {
  external_id: null,
  name: null,
  email: null,
  temperature: "warm",
  tags: [],
  source: "api",
  job_title: null,
  empresa: null,
  custom_fields: {},
  do_not_contact: false,
  do_not_contact_source: null,
  do_not_contact_at: null,
  marketing_opt_out: false,
  marketing_opt_out_source: null,
  marketing_opt_out_at: null,
  is_active: true,
  archived_at: null,
  erased_at: null,
};

/** A Brazilian mobile number, without and with the ninth digit. */
export function spellings(): [string, string] {
  const digits = String(Math.floor(Math.random() * 1e7)).padStart(7, "0");
  return [`+55116${digits}`, `+551196${digits}`];
}

/** Custom fields that are short in a request but too long in the database. */
export const HUGE = { numbers: Array(120).fill(1e300) };
