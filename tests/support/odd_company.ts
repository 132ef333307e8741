// A company with rows that programs often search, sort or paginate wrongly. The rows contain
// accents, nulls, empty strings, equal values, and the syntax of URLs, filters and SQL.
import type { Sql } from "./acting_as.ts";
import { addTemplate, type Company, connectAccount, newCompany, newMember } from "./company.ts";
import { withDatabase } from "./test_stack.ts";

/** Strings of at most 255 characters. */
export const ODD_TEXTS = [
  ...["Ana", "ANA", "ana maria", "A\u0301na\u0301", "Áná Sofía", "Joao", "João da Silva"],
  "Anabel-Ana",
  ...["Łucja 王 🎈", "王", "李王", "日本語 日本", "ﬁn", "fin", "Straße", "STRASSE", "İstanbul"],
  ...["ΣΊΣΥΦΟΣ", "σίσυφος"],
  ...["O'Neil, Pat", "a,b", "a\\,b", ",", 'Quote "x"', '"', '""', "back\\slash", "\\", "\\\\"],
  "a\\",
  ...["50% off", "100%", "%", "_", "under_score", "star*", "*", "like.*x*", "a  b", "a-b", "a.b"],
  ...["{brace}", "{a,b}", "{}", "[bracket]", "(paren)", ")", "or(id.gt.0)", '","id.gt."0'],
  "not.eq.x",
  ...[" lead", "trail ", " ", "\u00a0nbsp", "new\nline", "tab\there", "cr\r\n", "\u0007bell"],
  ...["~", "~7e", "~7e616e61", "%41na", "a+b", "a&b=c#d", "null", "NULL", "true", "5", "5.0"],
  "007",
  ...["😀", "😀😀 x", "\u{10ffff}", "x".repeat(255), "🎈é".repeat(100), ""],
];

const PHONES = [
  ...["+5511987654321", "+551187654322", "+5521998765432", "+552133334444", "+551122223333"],
  ...[
    ...["+5215512345678", "+525512345679", "+5491123456789", "+541123456780", "+12025550123"],
    "+351912345678",
  ],
];

/** Custom fields with keys that are hard to write in a URL, and with values that look alike. */
const CUSTOM_FIELDS = [
  ...[{}, { plan: "gold", seats: 5 }, { plan: "Gold", seats: "5" }, { plan: null, seats: 5.5 }],
  ...[{ seats: 0 }, { seats: -0.000001 }, { seats: 1e21 }, { seats: "1e+21" }, {
    seats: 9007199254740991,
  }],
  ...[{ plan: true }, { plan: "true" }, { plan: false }, { plan: "null" }, { plan: "" }, {
    plan: [5],
  }],
  ...[{ plan: { plan: "gold" } }, { plan: ["gold"] }, { "a.b": "x" }, { a: { b: "x" } }, {
    "a[b]": "x,y",
  }],
  ...[{ "a]": "x\\y" }, { "ключ": "значение" }, { "🎈": "🎈" }, { constructor: "x" }, {
    " plan ": " gold ",
  }],
  ...[{ 'q"': 'q"' }, { "back\\": "back\\" }, { "a b": "50%" }, { "a=b&c": "a+b" }, {
    "~7e": "~7e",
  }],
  JSON.parse('{"__proto__": "x", "toString": 1}'),
  ...[{ plan: "{}" }, { plan: "[5]" }, { plan: "new\nline" }, { plan: "*" }, { plan: "%" }, {
    "": "x",
  }],
];

const TAGS = [
  ...[[], ["vip"], ["vip", "br"], ["VIP"], ["a,b"], ["a", "b"], ['"'], ['"quoted"'], ["\\"], [
    "{x}",
  ]],
  ...[["null"], ["NULL"], [" lead"], ["~7e"], ["%"], ["*"], ["🎈"], ["a b"], ["São Paulo", "vip"]],
];

type Row = Record<string, unknown>;

/**
 * Creates a company with unusual rows. Two such companies have the same rows, except for the ids.
 */
export async function newOddCompany(): Promise<Company> {
  const company = await newCompany();
  await withDatabase((sql) => sql.begin((sql) => addOddRows(sql, company)));
  return company;
}

const EPOCH = Date.UTC(2026, 0, 31, 9, 30) * 1000;

/**
 * The times of a row. Three rows share each time, and the times differ by a microsecond, a second
 * or a day.
 */
function timesOf(sql: Sql, at: number) {
  const time = (group: number) => {
    const micros = EPOCH + group + (group % 3) * 1_000_000 + (group % 5) * 86_400_000_000;
    return sql`timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond'`;
  };
  return { created_at: time(Math.floor(at / 3)), updated_at: time(at * 7 % 20) };
}

/** Adds a row for each string or id, and returns the ids of the new rows. */
async function add(
  sql: Sql,
  table: string,
  keys: string[],
  rowOf: (key: string, at: number) => Row,
) {
  const rows = keys.map((key, at) => ({ ...timesOf(sql, at), ...rowOf(key, at) }));
  const added = await sql`insert into ${sql(table)} ${sql(rows as never)} returning id`;
  return added.map(({ id }) => id as string);
}

function pick<Item>(items: Item[], at: number): Item {
  return items[at % items.length];
}

async function addOddRows(sql: Sql, company: Company) {
  const { id: company_id, account_id } = company;
  const contacts = await add(sql, "contacts", ODD_TEXTS, (text, at) => ({
    company_id,
    ...(at % 9 === 8
      ? { phone: null, has_identity: true }
      : { phone: PHONES[at] ?? `+4420${7_000_000 + at * 13}`, has_identity: false }),
    marketing_stopped_at: at % 4 === 1 ? timesOf(sql, at).updated_at : null,
    marketing_resumed_at: at % 8 === 1 ? timesOf(sql, at + 3).updated_at : null,
    external_id: at % 4 === 0 ? null : `${text.slice(0, 200)}#${at}`,
    name: at % 13 === 12 ? null : text,
    email: pick([
      null,
      `Ana.${at}@X.Example`,
      `o'neil+${at}@Éxample.org`,
      `ÇA%_*~7e${at}@İ.example`,
    ], at),
    temperature: pick(["cold", "warm", "hot"], at),
    tags: pick(TAGS, at),
    source: pick(["api", "landing page", text, ""], at),
    job_title: pick([null, pick(ODD_TEXTS, at + 5), "Compradora", ""], at),
    empresa: pick(["Padaria Três Irmãos", null, pick(ODD_TEXTS, at + 9)], at),
    custom_fields: sql.json(pick(CUSTOM_FIELDS, at)),
    do_not_contact: at % 5 === 0,
    is_active: at % 3 !== 0,
  }));
  const names = ODD_TEXTS.filter((text) => text.trim() !== "");
  const every = (step: number) => names.filter((_, at) => at % step === 0);
  const teams = await add(sql, "teams", every(3), (name) => ({ company_id, name }));
  const members = await addMembers(sql, company_id, every(4));
  const pipelines = await add(sql, "pipelines", every(5), (name, at) => ({
    company_id,
    name,
    position: pick([0, 1, 1, 7, 2_147_483_647], at),
  }));
  const stages = await add(sql, "stages", every(2), (name, at) => ({
    company_id,
    name,
    pipeline_id: pick(pipelines.slice(1, 7), at),
    position: pick([5, 2, 2, 0], at),
  }));
  // The archived stages get no deals.
  await sql`update pipelines set archived_at = now() where id = ${pipelines[8]}`;
  await sql`update stages set archived_at = now() where id in ${sql(stages.splice(3, 4))}`;
  await add(sql, "deals", names, (title, at) => ({
    company_id,
    external_id: at % 4 === 0 ? null : `${title.slice(0, 200)}#${at}`,
    title,
    value: pick([null, "0", "0.01", "1200", "1200.5", "1200.50", "999999999999.99"], at),
    status: pick(["open", "won", "lost"], at),
    contact_id: pick(contacts, at * 3),
    stage_id: pick([...company.stage_ids, ...stages], at),
  }));
  const other = await connectAccount(sql, company_id);
  const conversations = await add(
    sql,
    "conversations",
    contacts.slice(0, 36),
    (contact_id, at) => ({
      company_id,
      contact_id,
      messaging_account_id: at % 5 === 4 ? other.id : account_id,
      status: pick(["open", "pending", "closed"], at),
      assigned_to: pick([null, ...members.slice(0, 3)], at),
      team_id: pick([teams[0], null, teams[1]], at),
      last_message_at: at % 4 === 0 ? null : timesOf(sql, at).created_at,
      window_expires_at: at % 4 < 2 ? null : timesOf(sql, at + 20).created_at,
    }),
  );
  // Some messages are in another conversation, so the list of the company's conversation must not
  // contain them.
  const messages = await add(sql, "messages", ODD_TEXTS.slice(0, 36), (content, at) => ({
    company_id,
    conversation_id: at % 6 === 5 ? conversations[0] : company.conversation_id,
    content,
    direction: at % 3 === 0 ? "inbound" : "outbound",
    outcome: at % 3 === 0 ? null : pick(["pending", "accepted", "failed", "accepted"], at),
    // These messages never expire. Otherwise, the job of another test could mark them as expired.
    expires_at: at % 3 === 0 ? null : new Date("9999-12-31"),
    type: at % 3 === 0
      ? pick(["text", "audio", "location", "unsupported", "system"], at)
      : pick(["text", "image", "video", "document"], at),
    sent_at: at % 4 === 0 ? null : timesOf(sql, at).created_at,
    delivered_at: at % 6 === 4 ? timesOf(sql, at + 1).created_at : null,
    read_at: at % 12 === 5 ? timesOf(sql, at + 2).created_at : null,
    failed_at: at % 12 === 8 ? timesOf(sql, at + 3).created_at : null,
    failure: at % 12 === 8
      ? sql.json({ reason: "channel_error", code: 131026, message: content, details: null })
      : null,
    payload: at % 6 === 0 ? sql.json({ text: { body: content } }) : null,
    reaction: at % 7 === 1 ? sql.json({ emoji: "👍🏽", at: "2026-01-31T09:30:00Z" }) : null,
    own_reaction: at % 9 === 1 ? sql.json({ emoji: "❤️", at: "2026-01-31T09:31:00Z" }) : null,
    own_reaction_whatsapp_id: at % 9 === 1 ? `wamid.reaction.${at}` : null,
    rendered_text: pick([null, content], at),
    ...at % 3 !== 0 && at % 2 === 0 && {
      author_type: pick(["key", "agent", "member"], at),
      author_id: pick([null, crypto.randomUUID()], at),
      author_name: content === "" ? null : content,
    },
    whatsapp_message_id: at % 4 === 0 ? null : `wamid.${content}.${at}`.slice(0, 255),
  }));
  await addSends(sql, company_id, messages);
  await addTemplates(sql, company_id, names);
}

/** Adds a send for each outbound message. */
async function addSends(sql: Sql, company_id: string, messages: string[]) {
  const keys = [null, crypto.randomUUID(), crypto.randomUUID()];
  for (const [at, message_id] of messages.entries()) {
    const [{ status }] = await sql`select status from messages where id = ${message_id}`;
    if (status === null) continue;
    const text = ODD_TEXTS[at].slice(0, 64) || "x";
    const template_name = pick([null, text, "order_update"], at);
    const row = {
      ...{ company_id, message_id, template_name, claim_id: crypto.randomUUID() },
      language_code: template_name && "en",
      lease_ends_at: new Date("9999-12-31"),
      idempotency_key: at % 4 === 0 ? null : `${text}${at}`,
      api_key_id: pick(keys, at),
      attempt: 1 + at % 2,
      ...timesOf(sql, at),
      ...(status === "pending" ? { state: status } : status === "failed"
        ? {
          state: pick(["failed", "released"], at),
          reason: pick(["channel_unavailable", text], at),
        }
        : { state: "sent", whatsapp_message_id: `sent.${at}` }),
    };
    await sql`insert into sends ${sql(row as never)}`;
  }
}

async function addMembers(sql: Sql, company_id: string, names: string[]): Promise<string[]> {
  await sql`update companies set members_found_by_email = true where id = ${company_id}`;
  const ids = [];
  for (const [at, name] of names.entries()) {
    const user_id = await newMember(sql, company_id, pick(["owner", "admin", "agent"], at));
    await sql`
      update company_members set ${sql(timesOf(sql, at) as never)},
        -- Some of these names are not allowed for a member.
        name = case when ${at % 3 !== 0} and app.is_key_name(${name}) then left(${name}, 100) end
      where company_id = ${company_id} and user_id = ${user_id}
    `;
    const email = at % 5 === 4 ? null : `Member.${at}+${company_id}@x.example`;
    await sql`update auth.users set email = ${email} where id = ${user_id}`;
    ids.push(user_id);
  }
  return ids;
}

async function addTemplates(sql: Sql, company_id: string, names: string[]) {
  const business_account_id = String(10 ** 14 + Math.floor(Math.random() * 10 ** 13));
  for (const _ of [1, 2]) await connectAccount(sql, company_id, { business_account_id });
  for (const [at, text] of names.entries()) {
    if (at % 3 === 2) continue;
    const id = await addTemplate(sql, company_id, {
      ...(at % 2 === 0 && { business_account_id }),
      name: pick(["order_update", "Order_Update", text, text], at),
      language: pick([`x${at}`, "pt_BR", "en", "en_US"], at),
      status: pick(["APPROVED", "PENDING", "REJECTED", "DELETED"], at),
      category: pick([null, "UTILITY", "MARKETING"], at),
    });
    await sql`update templates set ${sql(timesOf(sql, at) as never)} where id = ${id}`;
  }
}
