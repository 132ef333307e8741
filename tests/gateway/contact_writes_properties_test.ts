// Whatever two clients write, in whatever order: there is one contact for each phone key, and each answer says what a
// plain model of the contacts says.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { anyPhone, newCompany } from "../support/company.ts";
import { type Answer, call } from "../support/calls.ts";
import { withDatabase } from "../support/test_stack.ts";

const company = await newCompany();
const keys = [company.keys.all, company.keys.write];

type Fields = Record<string, unknown>;
type Row = Fields & { id: string; phone: string };
type Rule = "fail" | "update" | "keep";

/** A person by number, and a spelling of the phone. */
interface Phone {
  person: number;
  spelling: 0 | 1;
}
interface Item {
  phone: Phone;
  fields: Fields;
}
type Command =
  | { kind: "post"; item: Item }
  | { kind: "put"; item: Item; rule: Rule }
  | { kind: "patch"; person: number; item: Item }
  | { kind: "post batch"; items: Item[]; rule: Rule; atomic: boolean }
  | {
    kind: "patch batch";
    items: { person: number; phone?: Phone; fields: Fields }[];
    atomic: boolean;
  };

const PERSONS = 4;
const person = fc.nat(PERSONS - 1);
const phone = fc.record({ person, spelling: fc.constantFrom<0 | 1>(0, 1) });
const text = fc.constantFrom(null, "", "one", "two");
const customFields = fc.dictionary(
  fc.constantFrom("a", "b"),
  fc.constantFrom<unknown>(null, "", 1, {}, { c: 1 }, { c: null, d: 2 }),
  { noNullPrototype: true },
);
const fields = fc.record({
  name: text,
  empresa: text,
  temperature: fc.constantFrom("cold", "hot"),
  tags: fc.subarray(["x", "y"]),
  custom_fields: customFields,
  is_active: fc.boolean(),
}, { requiredKeys: [], noNullPrototype: true });
const item = fc.record({ phone, fields });
const items = fc.array(item, { minLength: 1, maxLength: 4 });
const atomic = fc.boolean();
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ kind: fc.constant("post" as const), item }),
  fc.record({
    kind: fc.constant("put" as const),
    item,
    rule: fc.constantFrom<Rule>("update", "keep"),
  }),
  fc.record({ kind: fc.constant("patch" as const), person, item }),
  fc.record({
    kind: fc.constant("post batch" as const),
    items,
    rule: fc.constantFrom<Rule>("fail", "update", "keep"),
    atomic,
  }),
  fc.record({
    kind: fc.constant("patch batch" as const),
    items: fc.array(
      fc.record({ person, phone: fc.option(phone, { nil: undefined }), fields }),
      { minLength: 1, maxLength: 4 },
    ),
    atomic,
  }),
);

const DEFAULTS = {
  name: null,
  empresa: null,
  temperature: "warm",
  tags: [],
  custom_fields: {},
  is_active: true,
};

const isBlank = (value: unknown) =>
  value === null || value === undefined || value === "" ||
  (typeof value === "object" && Object.keys(value!).length === 0);

function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result: Fields = typeof target === "object" && target !== null ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

/** The contacts of some persons as they should be, by the numbers of their phone keys. */
class Model {
  readonly rows = new Map<number, Row>();
  /** Ids of contacts, by the person who had them first: a PATCH names a contact by it. */
  readonly ids = new Map<number, string>();
  constructor(readonly spelled: string[][]) {}

  copy(): Model {
    const copy = new Model(this.spelled);
    for (const [key, row] of this.rows) copy.rows.set(key, { ...row });
    for (const [key, id] of this.ids) copy.ids.set(key, id);
    return copy;
  }

  /** The status that a write answers, and the key of the contact. A new contact has no id yet. */
  put({ phone: { person, spelling }, fields }: Item, rule: Rule): { status: number; row: Row } {
    const row = this.rows.get(person);
    if (!row) {
      const added = { ...DEFAULTS, ...fields, id: "", phone: this.spelled[person][spelling] };
      this.rows.set(person, added);
      return { status: 201, row: added };
    }
    if (rule === "fail") return { status: 409, row };
    if (rule === "update") Object.assign(row, fields);
    else {
      for (const name of ["name", "empresa", "tags"]) {
        if (isBlank(row[name]) && name in fields) row[name] = fields[name];
      }
      const own = { ...row.custom_fields as Fields };
      for (const [name, value] of Object.entries(fields.custom_fields ?? {})) {
        if (isBlank(own[name])) own[name] = value;
      }
      row.custom_fields = own;
    }
    return { status: 200, row };
  }

  patch(id: string, phone: Phone | undefined, fields: Fields): { status: number; row?: Row } {
    const found = [...this.rows].find(([, row]) => row.id === id);
    if (!found) return { status: 404 };
    const [key, row] = found;
    if (phone) {
      const owner = this.rows.get(phone.person);
      if (owner && owner !== row) return { status: 409, row: owner };
      this.rows.delete(key);
      this.rows.set(phone.person, row);
      row.phone = this.spelled[phone.person][phone.spelling];
    }
    Object.assign(row, fields);
    return { status: 200, row };
  }
}

function assertRow(data: Fields, row: Row) {
  if (row.id === "") row.id = data.id as string;
  for (const [field, value] of Object.entries(row)) assert.deepEqual(data[field], value, field);
}

/** Does a command, and compares the answer with the model. */
async function run(key: string, command: Command, model: Model): Promise<void> {
  const send = (method: string, path: string, json: unknown) => call(key, method, path, { json });
  const bodyOf = ({ phone: { person, spelling }, fields }: Item) => ({
    phone: model.spelled[person][spelling],
    ...fields,
  });
  const idOf = (person: number) => model.ids.get(person) ?? crypto.randomUUID();
  const learn = () => {
    for (const [key, { id }] of model.rows) if (!model.ids.has(key)) model.ids.set(key, id);
  };
  if (command.kind === "post" || command.kind === "put") {
    const [method, query, rule] = command.kind === "post"
      ? ["POST", "", "fail" as const]
      : ["PUT", `?on_conflict=${command.rule}`, command.rule];
    const answer = await send(method, `/contacts${query}`, bodyOf(command.item));
    const { status, row } = model.put(command.item, rule);
    assert.equal(answer.status, status);
    if (status === 409) assert.equal(answer.body.existing_id, row.id);
    else assertRow(answer.body.data, row);
    return learn();
  }
  if (command.kind === "patch") {
    const id = idOf(command.person);
    const answer = await send("PATCH", `/contacts/${id}`, bodyOf(command.item));
    const { status, row } = model.patch(id, command.item.phone, command.item.fields);
    assert.equal(answer.status, status);
    if (status === 200) assertRow(answer.body.data, row!);
    if (status === 409) assert.equal(answer.body.existing_id, row!.id);
    return;
  }

  const tried = model.copy();
  const isPost = command.kind === "post batch";
  const query = `?atomic=${command.atomic}${isPost ? `&on_conflict=${command.rule}` : ""}`;
  const ids = isPost ? [] : command.items.map(({ person }) => idOf(person));
  const sent = isPost
    ? command.items.map(bodyOf)
    : command.items.map(({ phone, fields: { custom_fields = {}, ...fields } }, index) => ({
      id: ids[index],
      is_active: true,
      ...(phone && { phone: model.spelled[phone.person][phone.spelling] }),
      ...fields,
      custom_fields,
    }));
  const expected = isPost
    ? command.items.map((item) => tried.put(item, command.rule))
    : command.items.map(({ phone, fields }, index) => {
      const row = [...tried.rows.values()].find(({ id }) => id === ids[index]);
      const custom_fields = merged(row?.custom_fields, fields.custom_fields ?? {});
      return tried.patch(ids[index], phone, { is_active: true, ...fields, custom_fields });
    });
  const answer = await send(isPost ? "POST" : "PATCH", `/contacts/batch${query}`, { items: sent });
  const failed = expected.find(({ status }) => status >= 400);
  if (command.atomic && failed) {
    assert.equal(answer.status, failed.status);
    return;
  }
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const results: Answer["body"][] = answer.body.data;
  assert.deepEqual(results.map(({ status }) => status), expected.map(({ status }) => status));
  for (const [index, { status, row }] of expected.entries()) {
    if (status < 300) assertRow(results[index].data, row!);
  }
  for (const [index, { status, row }] of expected.entries()) {
    if (status === 409) assert.equal(results[index].error.existing_id, row!.id);
  }
  model.rows.clear();
  for (const [key, row] of tried.rows) model.rows.set(key, row);
  learn();
}

/** Two spellings of the phones of some persons that no other run has. */
function newPersons(): string[][] {
  return Array.from({ length: PERSONS }, () => {
    const digits = anyPhone().slice(-7);
    return [`+55616${digits}`, `+556196${digits}`];
  });
}

async function rowsOf(spelled: string[][]) {
  return await withDatabase((sql) =>
    sql`
      select id, phone, phone_key, name, empresa, temperature, tags, custom_fields, is_active
      from contacts where company_id = ${company.id} and phone = any (${spelled.flat()}) order by id
    `
  );
}

Deno.test("after any sequence of writes by two clients, each answer was true and the contacts are those of a model", async () => {
  const commands = fc.array(fc.tuple(fc.nat(1), command), { minLength: 1, maxLength: 12 });
  const property = fc.asyncProperty(commands, async (commands) => {
    const model = new Model(newPersons());
    for (const [client, command] of commands) await run(keys[client], command, model);
    const rows = await rowsOf(model.spelled);
    assert.equal(rows.length, model.rows.size);
    for (const [, row] of model.rows) assertRow(rows.find(({ id }) => id === row.id)!, row);
  });
  await fc.assert(property, { numRuns: 15 });
});

Deno.test("two clients that write the same persons at once are answered, and leave one contact for each", async () => {
  const writes = fc.array(command, { minLength: 3, maxLength: 6 });
  const property = fc.asyncProperty(writes, writes, async (...sequences) => {
    const spelled = newPersons();
    const bodyOf = ({ phone: { person, spelling }, fields }: Item) => ({
      phone: spelled[person][spelling],
      ...fields,
    });
    const seen: Answer["body"][] = [];
    await Promise.all(sequences.map(async (commands, client) => {
      for (const command of commands) {
        if (command.kind === "patch" || command.kind === "patch batch") continue;
        const isBatch = command.kind === "post batch";
        const answer = await call(
          keys[client],
          command.kind === "put" ? "PUT" : "POST",
          isBatch ? `/contacts/batch?on_conflict=${command.rule}` : "/contacts",
          { json: isBatch ? { items: command.items.map(bodyOf) } : bodyOf(command.item) },
        );
        assert.ok([200, 201, 409].includes(answer.status), JSON.stringify(answer.body));
        seen.push(...isBatch ? answer.body.data : [{ ...answer.body, status: answer.status }]);
      }
    }));
    const rows = await rowsOf(spelled);
    const created = seen.filter(({ status }) => status === 201).map(({ data }) => data.id);
    assert.deepEqual(created.sort(), rows.map(({ id }) => id));
    assert.equal(new Set(rows.map(({ phone_key }) => phone_key)).size, rows.length);
    for (const { data, existing_id, error } of seen) {
      assert.ok(created.includes(data?.id ?? existing_id ?? error.existing_id));
    }
  });
  await fc.assert(property, { numRuns: 6 });
});
