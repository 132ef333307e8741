// The queries for the plan tests of the large company: rare and common values for each list filter.
// A page of 50 reads 51 rows.

/**
 * A filter value, and the maximum number of rows that one page with this filter may read. The
 * default is ORDINARY.
 */
export type Case = [value: string, most?: number];

/** The limit for the rows of a page and a few other rows that the query also reads. */
export const ORDINARY = 500;

/**
 * The limit for a value that about 1,000 of 100,000 rows have. The query reads either these rows,
 * or the rows in list order until it finds 51 matches.
 */
const UNCOMMON = 8_000;
/** The limit for words that are each common, but rarely occur together. */
const TOGETHER = 50_000;
/** The limit if only the oldest rows match. The query first reads all other rows of the company. */
const FAR = 101_000;

const CREATED = "2025-06-01T00:00:00Z";
const NEAR_THE_END = "2025-12-13T12:00:00Z";
const NOBODY = "00000000-0000-4000-8000-000000000000";

/** The ids of a contact, stages and teams that the filters use. */
export interface Ids {
  contact: string;
  rareStage: string;
  commonStage: string;
  rareTeam: string;
  commonTeam: string;
}

/** Words that occur in many rows, in few rows, in no rows, or only in the oldest rows. */
const WORDS: Case[] = [
  ["Zylberstajn"],
  ["щербаков"],
  ["ZYLBER"],
  ["silva", 1_500],
  ["ana", 1_500],
  ["gonc", 2_500],
  ["conceição", 2_500],
  ["xyzzyx"],
  ["ж"],
  ["zy"],
  ["qq"],
  ["a"],
  ["oldenburg", FAR],
];

const TIMES: Record<string, Case[]> = {
  gt: [[CREATED, 1_500], [NEAR_THE_END, UNCOMMON]],
  gte: [[CREATED, 1_500], ["2026-01-01"]],
  lt: [[CREATED, 1_500], [NEAR_THE_END, 1_500], ["2025-01-01T01:00:00Z"]],
  lte: [[CREATED, 1_500], ["2025-01-01T01:00:00Z"]],
};

/**
 * The test cases for the range operators of a time field. @param most the maximum number of rows
 * that a page may read, unless the case itself allows more.
 */
function times(field: string, most = 0): Record<string, Case[]> {
  return Object.fromEntries(
    Object.entries(TIMES).map(([operator, cases]) => [
      `${field}[${operator}]`,
      cases.map(([value, own = ORDINARY]): Case => [value, Math.max(own, most)]),
    ]),
  );
}

/** The test cases of each list, by parameter. */
export function casesOf(ids: Ids): Record<string, Record<string, Case[]>> {
  return {
    "/contacts": {
      q: [
        ...WORDS,
        ["ana lima", UNCOMMON],
        ["silva zylberstajn"],
        ["ana silva acme example", TOGETHER],
        ["person example com"],
        ["+5511"],
        ["+55 (11) 96180-3399"],
        ["11 6180-3399"],
        ["ana 96180-3399"],
        ["61803399"],
        ["+55 11 9 6180 3398"],
        ["5511 9618 0000"],
      ],
      id: [[ids.contact], [NOBODY]],
      "id[ne]": [[ids.contact]],
      external_id: [["C-770"], ["C-1000,C-77770,nobody"]],
      "external_id[ne]": [["C-770"]],
      "external_id[empty]": [["true"], ["false"]],
      name: [["Ana"], ["Ana,Paula Lima"], ["Íris Lima Nobody"]],
      "name[ne]": [["Ana"]],
      "name[contains]": [...WORDS, ["ana lima", UNCOMMON], ["example"]],
      "name[empty]": [["true"], ["false"]],
      email: [["PERSON.77@example.com"], ["nobody@example.com,person.78@example.com"]],
      "email[ne]": [["nobody@example.com"]],
      "email[contains]": [["example"], ["person.777"], ["nobody"], ["silva"]],
      "email[empty]": [["true", 2_500], ["false"]],
      phone: [["+551100000000"], ["+551161803399,55 (11) 96180-3399"]],
      "phone[ne]": [["+551100000000"]],
      "phone[empty]": [["true"], ["false"]],
      temperature: [["hot"], ["cold"], ["hot,cold"]],
      "temperature[ne]": [["cold"], ["cold,warm", UNCOMMON]],
      tags: [["vip"], ["rare"], ["nobody"], ["vip,lead"], ["rare,nobody"], ["ancient", FAR]],
      "tags[all]": [["vip,partner", 1_000], ["rare,vip"], ["vip,nobody"]],
      "tags[ne]": [["vip"], ["vip,lead", 1_000]],
      "tags[empty]": [["true", 1_000], ["false"]],
      source: [["api"], ["fair"], ["nobody"], ["fair,nobody"]],
      "source[ne]": [["api"]],
      "source[empty]": [["true"], ["false"]],
      job_title: [["Buyer"], ["Astronaut"], ["nobody"]],
      "job_title[ne]": [["Buyer"]],
      "job_title[contains]": [["diretora", 1_000], ["astro"], ["nobody"], ["as"]],
      "job_title[empty]": [["true", 1_000], ["false"]],
      empresa: [["Acme"], ["Wayne\\, Inc."], ["nobody"]],
      "empresa[ne]": [["Acme"]],
      "empresa[contains]": [["acme", 1_000], ["wayne, inc"], ["nobody"], ["wa"]],
      "empresa[empty]": [["true", 1_000], ["false"]],
      do_not_contact: [["true"], ["false"]],
      "do_not_contact[ne]": [["true"], ["false", FAR]],
      ...times("marketing_opt_out_at", UNCOMMON),
      "marketing_opt_out_at[empty]": [["true"], ["false", UNCOMMON]],
      is_active: [["true"], ["false"]],
      "is_active[ne]": [["false"], ["true", FAR]],
      "custom_fields.plan": [["pro"], ["nobody"]],
      "custom_fields.seats": [["7", UNCOMMON], ["99"]],
      "custom_fields.number": [["crm-777"], ["crm-777,crm-778"]],
      "custom_fields.tier": [["platinum"]],
      "custom_fields.address.city": [["nobody"], ["nobody,5"]],
      ...times("created_at"),
      ...times("updated_at"),
    },
    "/deals": {
      q: [["zeppelin"], ["renovacao", 1_000], ["ze"], ["nobody"], ["upgrade zeppelin"]],
      id: [[NOBODY]],
      "id[ne]": [[NOBODY]],
      external_id: [["D-770"], ["D-1000,D-77770,nobody"]],
      "external_id[ne]": [["D-770"]],
      "external_id[empty]": [["true"], ["false"]],
      title: [["Nobody"]],
      "title[ne]": [["Nobody"]],
      "title[contains]": [["zeppelin"], ["RENOVAÇÃO", 1_000], ["ze"], ["nobody"]],
      "title[empty]": [["true"], ["false"]],
      value: [["79.5"], ["1"], ["79.5,80.5"]],
      "value[ne]": [["79.5"]],
      "value[gt]": [["99990"], ["500"]],
      "value[gte]": [["99990"], ["0"]],
      "value[lt]": [["50"], ["90000"], ["-1"]],
      "value[lte]": [["50"], ["90000"]],
      "value[empty]": [["true", 2_500], ["false"]],
      status: [["won"], ["open"], ["won,lost"]],
      "status[ne]": [["lost"], ["open,lost", UNCOMMON]],
      contact_id: [[ids.contact], [NOBODY]],
      "contact_id[ne]": [[NOBODY]],
      stage_id: [[ids.rareStage], [ids.commonStage], [`${ids.rareStage},${ids.commonStage}`], [
        `${ids.rareStage},${NOBODY}`,
      ]],
      "stage_id[ne]": [[ids.commonStage]],
      ...times("won_at", UNCOMMON),
      "won_at[empty]": [["true"], ["false", UNCOMMON]],
      ...times("lost_at", 1_500),
      "lost_at[empty]": [["true"], ["false"]],
      ...times("stage_changed_at"),
      // Only the oldest deals last changed their stage before `CREATED`. The list starts with the
      // newest deals, so it reaches the oldest deals last.
      "stage_changed_at[lt]": [[CREATED, FAR], ["2025-01-01T01:00:00Z"]],
      "stage_changed_at[lte]": [[CREATED, FAR], ["2025-01-01T01:00:00Z"]],
      ...times("created_at"),
      ...times("updated_at"),
    },
    "/conversations": {
      id: [[NOBODY]],
      "id[ne]": [[NOBODY]],
      contact_id: [[ids.contact], [NOBODY]],
      "contact_id[ne]": [[NOBODY]],
      phone_number_id: [["100000"], ["99"], ["1"], ["99,1"]],
      "phone_number_id[ne]": [["99"], ["1"], ["100000", FAR]],
      status: [["pending"], ["open"], ["closed"], ["pending,open", UNCOMMON]],
      "status[ne]": [["open"]],
      assigned_to: [[NOBODY]],
      "assigned_to[ne]": [[NOBODY]],
      "assigned_to[empty]": [["true"], ["false"]],
      team_id: [[ids.rareTeam], [ids.commonTeam]],
      "team_id[ne]": [[ids.commonTeam]],
      "team_id[empty]": [["true"], ["false"]],
      ...times("last_message_at"),
      "last_message_at[empty]": [["true", 2_500], ["false"]],
      ...times("window_expires_at"),
      "window_expires_at[empty]": [["true", 2_500], ["false"]],
      ...times("created_at"),
      ...times("updated_at"),
    },
  };
}
