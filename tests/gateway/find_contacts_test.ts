// Tests examples of each kind of contact filter. find_properties_test.ts tests that every query
// returns the right rows.
import assert from "node:assert/strict";
import { call } from "../support/calls.ts";
import { newCompany } from "../support/company.ts";
import { withDatabase } from "../support/test_stack.ts";

const company = await newCompany(); // the company already has a contact named Ada with only a phone number
const company_id = company.id;

const CONTACTS = {
  ana: {
    name: "Ana Sofía",
    email: "Ana.Sofia@Example.com",
    phone: "+5511987654321",
    tags: ["vip", "br"],
    empresa: "Padaria Três Irmãos",
    temperature: "hot",
    custom_fields: {
      seats: 5,
      plan: "gold",
      active: true,
      "a.b": "dotted",
      "a[b]": "bracketed",
      a: { b: "nested", "c.d": { e: 1 } },
      "ключ": "да",
    },
    created_at: "2026-01-31T23:59:59.999999Z",
  },
  joao: {
    name: "João",
    email: "joao@exämple.org",
    phone: "+5215512345678",
    tags: ["vip", "São Paulo, SP"],
    empresa: "",
    temperature: "cold",
    custom_fields: JSON.parse(
      '{"seats":"5","plan":"silver, old","active":"true","__proto__":"inherited"}',
    ),
    created_at: "2026-02-01T00:00:00Z",
  },
  mariana: {
    name: "Mariana Anabel",
    email: null,
    phone: "+5491123456789",
    tags: ["VIP"],
    empresa: null,
    temperature: "warm",
    custom_fields: { seats: 6, plan: null, active: false, "__proto__": 1 },
    created_at: "2026-02-01T00:00:00.000001Z",
  },
  nameless: {
    name: null,
    email: "x_y%z@example.net",
    phone: "+12025550123",
    tags: [],
    empresa: "100% \\ Co, Ltd*",
    temperature: "hot",
    custom_fields: { plan: ["gold"], seats: { seats: 5 } },
    created_at: "2026-02-02T12:00:00-03:00",
  },
};
const labels = new Map<string, string>();
await withDatabase(async (sql) => {
  for (const [label, { created_at, custom_fields, ...row }] of Object.entries(CONTACTS)) {
    const columns = { company_id, ...row, custom_fields: sql.json(custom_fields) };
    const [{ id }] = await sql`insert into contacts ${sql(columns)} returning id`;
    await sql`update contacts set created_at = ${created_at}::text::timestamptz where id = ${id}`;
    labels.set(id, label);
  }
});

/** The labels of the contacts that a list returns, in the order of `CONTACTS`. */
async function found(address: string): Promise<string[]> {
  const { status, body } = await call(company.keys.read, "GET", address);
  assert.equal(status, 200, `${address} ${JSON.stringify(body)}`);
  const ids: string[] = body.data.map(({ id }: { id: string }) => id);
  return [...labels].filter(([id]) => ids.includes(id)).map(([, label]) => label);
}

const [ana, joao, mariana, nameless] = Object.keys(CONTACTS);
const everybody = [ana, joao, mariana, nameless];

/** The tests by name. Each test has paths with a query, and the contacts that each query finds. */
const FACTS: Record<string, Record<string, string[]>> = {
  "every spelling of a phone number finds its contact, even if the plus sign is not encoded": {
    "/contacts?phone=%2B5511987654321": [ana],
    "/contacts?phone=+5511987654321": [ana],
    "/contacts?phone=+551187654321": [ana],
    "/contacts?phone=%2B525512345678": [joao],
    "/contacts?phone=+5215512345678": [joao],
    "/contacts?phone=+541123456789": [mariana],
    "/contacts?phone=%2B5491123456789": [mariana],
    "/contacts?phone=+551187654321,%2B525512345678,+5215512345678": [ana, joao],
    "/contacts?phone[ne]=+551187654321,+525512345678&tags[empty]=false": [mariana],
    "/contacts?phone=+15550100": [],
  },
  "a phone number is found in any usual notation, with or without the plus sign": {
    "/contacts?phone=+55+(11)+98765-4321": [ana],
    "/contacts?phone=%2B55%2011%2098765.4321,52/55/12345678": [ana, joao],
    "/contacts?phone=%205511987654321": [ana],
    "/contacts?phone=551187654321": [ana],
    "/contacts?phone=0055(11)8765-4321": [ana],
    "/contacts?phone=%E2%80%AA%2B55%C2%A011%2098765%E2%80%914321%E2%80%AC": [ana],
    "/contacts?phone[ne]=55+11+98765-4321&tags[empty]=false": [joao, mariana],
  },
  "`q` finds a pasted phone number, even in another spelling or without its country or area code": {
    "/contacts?q=+55+(11)+98765-4321": [ana],
    "/contacts?q=%2B55%2011%208765-4321": [ana],
    "/contacts?q=(011)+98765-4321": [ana],
    "/contacts?q=1187654321": [ana],
    "/contacts?q=98765-4321": [ana],
    "/contacts?q=8765-4321": [ana],
    "/contacts?q=%E2%80%AA%2B55%C2%A011%2098765%E2%80%914321%E2%80%AC": [ana],
    "/contacts?q=5511+98765": [ana],
    "/contacts?q=ana+11+98765-4321+sofia": [ana],
    "/contacts?q=joao+11+98765-4321": [],
    "/contacts?q=52+55+1234+5678": [joao],
    "/contacts?q=1+55+1234+5678": [joao],
    "/contacts?q=9+11+2345-6789": [mariana],
    "/contacts?q=(202)+555-0123": [nameless],
    "/contacts?q=5550124+202": [],
    "/contacts?q=11+98765-4320": [],
  },
  "an e-mail address is found regardless of case": {
    "/contacts?email=ana.SOFIA@example.COM": [ana],
    "/contacts?email=JOAO@EXÄMPLE.ORG,x_y%25z@example.net": [joao, nameless],
    "/contacts?email=%25": [],
    "/contacts?email[contains]=example.com": [ana],
    "/contacts?email[contains]=EXAMPLE": [ana, joao, nameless],
  },
  "a string filter matches exactly, and a list of values matches each value": {
    "/contacts?name=Jo%C3%A3o": [joao],
    "/contacts?name=jo%C3%A3o": [],
    "/contacts?name=Joao": [],
    "/contacts?name=Ana%20Sof%C3%ADa,Jo%C3%A3o,nobody": [ana, joao],
    "/contacts?name=Ana+Sof%C3%ADa": [ana],
    "/contacts?empresa=100%25%20%5C%5C%20Co%5C,%20Ltd*": [nameless],
    "/contacts?empresa=100%25*": [],
  },
  "the `ne` operator finds contacts with other values and contacts without a value": {
    "/contacts?name[ne]=Jo%C3%A3o,Ana%20Sof%C3%ADa,Ada": [mariana, nameless],
    "/contacts?email[ne]=ANA.sofia@example.com&name[ne]=Ada": [joao, mariana, nameless],
    "/contacts?temperature[ne]=hot,warm": [joao],
    "/contacts?empresa[ne]=Padaria%20Tr%C3%AAs%20Irm%C3%A3os&name[ne]=Ada": [
      joao,
      mariana,
      nameless,
    ],
  },
  "the `empty` operator finds missing values, empty strings and empty lists": {
    "/contacts?name[empty]=true": [nameless],
    "/contacts?empresa[empty]=true&name[ne]=Ada": [joao, mariana],
    "/contacts?empresa[empty]=false": [ana, nameless],
    "/contacts?email[empty]=true&name[ne]=Ada": [mariana],
    "/contacts?tags[empty]=true&name[ne]=Ada": [nameless],
    "/contacts?tags[empty]=false": [ana, joao, mariana],
  },
  "the `contains` operator searches the whole field and ignores accents, case and punctuation": {
    "/contacts?name[contains]=SOFIA": [ana],
    "/contacts?name[contains]=sof%C3%AD": [ana],
    "/contacts?name[contains]=ana-sof": [ana],
    "/contacts?name[contains]=ana": [ana, mariana],
    "/contacts?name[contains]=padaria": [],
    "/contacts?empresa[contains]=tres+irma": [ana],
    "/contacts?empresa[contains]=100%25": [nameless],
    "/contacts?empresa[contains]=co,+ltd": [nameless],
    "/contacts?empresa[contains]=irmaos.": [ana],
    "/contacts?name[contains]=anabel+": [mariana],
    "/contacts?name[contains]=jo%C3%A3o,": [joao],
    "/contacts?name[contains]=jo%C3%A3o,ana": [],
  },
  "a search text of one or two letters matches only the beginnings of words": {
    "/contacts?name[contains]=an": [ana, mariana],
    "/contacts?name[contains]=so": [ana],
    "/contacts?name[contains]=na": [],
    "/contacts?name[contains]=+an": [ana, mariana],
    "/contacts?name[contains]=-s": [ana],
    "/contacts?name[contains]=na.": [],
    "/contacts?q=jo": [joao],
    "/contacts?q=oa": [],
    "/contacts?q=ia": [],
    "/contacts?q=iana": [mariana],
  },
  "`q` finds words in any order, in any of the searched fields": {
    "/contacts?q=sofia+ana": [ana],
    "/contacts?q=irmaos+ana+5511987": [ana],
    "/contacts?q=SOF%C3%8DA": [ana],
    "/contacts?q=example": [ana, joao, nameless],
    "/contacts?q=%2B5511987654321": [ana],
    "/contacts?q=ana+anabel": [mariana],
    "/contacts?q=ana+ana": [ana, mariana],
    "/contacts?q=x_y%25z": [nameless],
    "/contacts?q=vip": [],
  },
  "`tags` filters find contacts with any of the tags, with all tags or with none of the tags": {
    "/contacts?tags=br,S%C3%A3o%20Paulo%5C,%20SP": [ana, joao],
    "/contacts?tags=vip": [ana, joao],
    "/contacts?tags[all]=vip,br": [ana],
    "/contacts?tags[all]=br,vip,br": [ana],
    "/contacts?tags[ne]=vip&name[ne]=Ada": [mariana, nameless],
    "/contacts?tags[ne]=vip,VIP&tags[empty]=false": [],
    "/contacts?tags=S%C3%A3o%20Paulo": [],
  },
  'a custom field is compared as text: 5 finds 5 and "5"': {
    "/contacts?custom_fields.seats=5": [ana, joao],
    "/contacts?custom_fields.seats=5,6": [ana, joao, mariana],
    "/contacts?custom_fields.seats=5.0": [],
    "/contacts?custom_fields.active=true": [ana, joao],
    "/contacts?custom_fields.active=false": [mariana],
    "/contacts?custom_fields.plan=gold": [ana],
    "/contacts?custom_fields.plan=silver%5C,%20old,gold": [ana, joao],
    "/contacts?custom_fields.plan=null": [],
    "/contacts?custom_fields.plan=Gold": [],
    "/contacts?custom_fields.seats=5&custom_fields.plan=gold": [ana],
  },
  "a dot after `custom_fields.` can be part of a custom field's name or separate nested names": {
    "/contacts?custom_fields.a.b=dotted": [ana],
    "/contacts?custom_fields.a.b=nested": [ana],
    "/contacts?custom_fields.a.c.d.e=2,1": [ana],
    "/contacts?custom_fields.a.c=1": [],
    "/contacts?custom_fields.seats.seats=5": [nameless],
    "/contacts?custom_fields.a[b]=bracketed": [ana],
    "/contacts?custom_fields.a%5Bb%5D=bracketed": [ana],
    "/contacts?custom_fields.%D0%BA%D0%BB%D1%8E%D1%87=%D0%B4%D0%B0": [ana],
    "/contacts?custom_fields.__proto__=inherited": [joao],
    "/contacts?custom_fields.__proto__=inherited,1": [joao],
    "/contacts?custom_fields.constructor=x": [],
    "/contacts?custom_fields.toString=x": [],
  },
  "times are compared to the microsecond, with any offset, and a date means midnight UTC": {
    "/contacts?created_at[lt]=2026-02-01": [ana],
    "/contacts?created_at[lte]=2026-02-01": [ana, joao],
    "/contacts?created_at[gte]=2026-02-01&created_at[lt]=2026-02-02": [joao, mariana],
    "/contacts?created_at[gt]=2026-01-31&created_at[lt]=2026-02-01T00:00:00.000001Z": [ana, joao],
    "/contacts?created_at[gte]=2026-01-31T21:00:00-03:00&created_at[lt]=2026-02-02": [
      joao,
      mariana,
    ],
    "/contacts?created_at[lte]=2026-02-01T09:30:00.000001+09:30": [ana, joao, mariana],
    "/contacts?created_at[lte]=2026-02-01T09:30:00.000001%2B09:30": [ana, joao, mariana],
    "/contacts?created_at[lte]=2026-02-01t00:00:00z": [ana, joao],
    "/contacts?created_at[gt]=2026-02-02T14:59:59.5Z&created_at[lt]=2026-02-03": [nameless],
    "/contacts?created_at[lt]=0001-01-02": [],
    "/contacts?created_at[gt]=9999-12-31T23:59:59-14:59": [],
  },
  "a filter on an enum or boolean field accepts several values and matches each value": {
    "/contacts?temperature=hot,cold": [ana, joao, nameless],
    "/contacts?is_active=true&tags[empty]=false": [ana, joao, mariana],
    "/contacts?is_active=false": [],
    "/contacts?do_not_contact=true,false&name[ne]=Ada": everybody,
  },
};

for (const [fact, addresses] of Object.entries(FACTS)) {
  Deno.test(fact, async () => {
    for (const [address, expected] of Object.entries(addresses)) {
      assert.deepEqual(await found(address), expected, address);
    }
  });
}

Deno.test("a search for words returns the included records", async () => {
  const address = "/contacts?q=ada&include=deals,conversations";
  const { body } = await call(company.keys.read, "GET", address);
  const { deals, conversations } = body.data.find(({ id }: { id: string }) =>
    id === company.contact_id
  );
  assert.deepEqual(
    [deals.data[0].id, conversations.data[0].id],
    [company.deal_id, company.conversation_id],
  );
});

Deno.test("a search finds a contact by the first words of its longest possible strings", async () => {
  // Random letters of four bytes each, which Postgres cannot compress.
  const letters = (count: number) =>
    Array.from(
      crypto.getRandomValues(new Uint16Array(count)),
      (n) => String.fromCodePoint(0x20000 + n % 42_000),
    ).join("");
  const contact = {
    name: `Zebedeu ${letters(247)}`,
    email: `quixada.${letters(56)}@${letters(60)}.${letters(59)}.${letters(58)}.example.com`,
    empresa: `Astral ${letters(248)}`,
    job_title: `Aviador ${letters(247)}`,
  };
  const { status } = await call(company.keys.all, "POST", "/contacts", {
    json: { phone: "+5511977776666", ...contact },
  });
  assert.equal(status, 201);
  for (const query of ["q=zebedeu quixada astral", "job_title[contains]=avia"]) {
    const { body: page } = await call(company.keys.read, "GET", `/contacts?${query}`);
    assert.deepEqual(page.data.map(({ name }: { name: string }) => name), [contact.name], query);
  }
});
