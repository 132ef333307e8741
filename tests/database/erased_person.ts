// Creates people with unique names, and the channel's events about them.
import type postgres from "postgres";
import { statement } from "../support/test_stack.ts";

const encoder = new TextEncoder();

/** Every transaction with a lower number ended before this module created a person. */
const [{ first }] = await statement`select pg_snapshot_xmin(pg_current_snapshot())::text as first`;

/** A new person, with all formats of their phone number. */
export function anyPerson() {
  const random = crypto.getRandomValues(new Uint32Array(1))[0].toString().padStart(10, "0");
  // An old Brazilian mobile number, which can be written with or without the ninth digit. No other
  // test uses its area code, so no other person's number contains these digits by chance.
  const digits = `9${random.slice(-7)}`;
  // This marker is so long that no digest or encrypted token contains it by chance.
  const mark = `zq${crypto.randomUUID().replaceAll("-", "").slice(0, 14)}`;
  return {
    phone: `+55859${digits}`,
    // The phone number as the channel writes it.
    wa_id: `5585${digits}`,
    user_id: `BR.${mark}${digits}`,
    name: `Zoë ${mark} Quirino`,
    email: `zoe.${mark}@example.com`,
    digits,
    mark,
  };
}
export type Person = ReturnType<typeof anyPerson>;

/** A channel id that contains the phone number. */
export function idWith(wa_id: string): string {
  const bytes = [0x1c, 0x18, wa_id.length, ...encoder.encode(wa_id), 0x15, 0x02, 0x00, 0x12];
  const unique = crypto.getRandomValues(new Uint8Array(12));
  return `wamid.${new Uint8Array([...bytes, ...unique]).toBase64()}`;
}

/** The body of an event. Each change names a phone number id and contains these parts. */
export function eventOf(
  ...changes: [phone_number_id: string, parts: Record<string, unknown>][]
): string {
  return JSON.stringify({
    object: "whatsapp_business_account",
    entry: changes.map(([phone_number_id, parts]) => ({
      id: "910000000000999",
      changes: [{ field: "messages", value: { metadata: { phone_number_id }, ...parts } }],
    })),
  });
}

export const seconds = (ago = 0) => String(Math.floor(Date.now() / 1000) - ago);
export const card = ({ wa_id, user_id, name }: Person) => ({ wa_id, user_id, profile: { name } });
export const messageOf = ({ wa_id, user_id }: Person, more: Record<string, unknown>, ago = 5) => ({
  ...{ from: wa_id, from_user_id: user_id, id: idWith(wa_id), timestamp: seconds(ago) },
  ...{ type: "text", ...more },
});
export const statusOf = (
  person: Person,
  id: string,
  more: Record<string, unknown> = {},
  ago = 5,
) => ({
  ...{ id, recipient_id: person.wa_id, recipient_user_id: person.user_id, timestamp: seconds(ago) },
  ...{ status: "delivered", ...more },
});

/**
 * All strings that identify the person, in lower case: the marker and every format of the phone
 * number. Each string is listed as text and in base64, and both forms also in hexadecimal.
 * Searching for each string separately is much faster than searching with one combined pattern.
 */
export function tracesOf({ digits, mark }: Pick<Person, "digits" | "mark">): string[] {
  const texts = [`85${digits}`, `859${digits}`, `1202${digits}`, mark];
  // A string can start at one of three positions within the three-byte groups of base64. The
  // strings include the country code, because six digits in base64 can occur in an encrypted token
  // by chance.
  const base64 = [`5585${digits}`, `55859${digits}`, `1202${digits}`, mark].flatMap((text) =>
    [0, 1, 2].map((shift) => {
      const bytes = new Uint8Array([...new Uint8Array(shift), ...encoder.encode(text)]);
      return bytes.toBase64().slice(shift === 0 ? 0 : 4, Math.floor(bytes.length / 3) * 4);
    })
  );
  const spelled = [...texts, ...base64].flatMap((text) => [text, encoder.encode(text).toHex()]);
  return spelled.map((text) => text.toLowerCase());
}

/**
 * All columns in which a row contains one of these strings, as `table.column`. The search skips
 * rows that are older than the first person of this module, because searching the rows of all other
 * tests would take a minute.
 */
export async function columnsWith(sql: postgres.Sql, traces: string[]): Promise<string[]> {
  const tables = await sql`
    select nspname || '.' || relname as name, array_agg(attname::text order by attname) as columns
    from pg_attribute join pg_class on pg_class.oid = attrelid join pg_namespace on pg_namespace.oid = relnamespace
    where nspname in ('public', 'app') and relkind in ('r', 'p') and not relispartition
      and attnum > 0 and not attisdropped
    group by 1 order by 1
  `;
  const found = [];
  // When a row is converted to text, its `bytea` values become hexadecimal.
  const hasTrace = (text: string) =>
    `(select bool_or(strpos(text, trace) > 0) from lower(${text}) as text, unnest($1::text[]) as trace)`;
  const isNew = "xmin::text::bigint >= $2::bigint";
  for (const { name, columns } of tables) {
    const rows = await sql.unsafe(
      `select ${
        columns.map((column: string) => `bool_or(${hasTrace(`"${column}"::text`)}) as "${column}"`)
      } from (select * from ${name} as t where ${isNew} and ${
        hasTrace("t::text")
      } offset 0) as having_it`,
      [traces as unknown as string, first],
    );
    found.push(
      ...columns.filter((column: string) => rows[0][column]).map((column: string) =>
        `${name}.${column}`
      ),
    );
  }
  return found;
}
