import assert from "node:assert/strict";
import { readPage } from "../docs/pages.ts";
import { anyPhone, type Company, newCompany } from "../support/company.ts";
import { type Answer, assertField, call, isUndone } from "../support/calls.ts";
import { assertInOrder } from "../support/pipelines.ts";
import { until } from "../support/started.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

type Row = Record<string, unknown>;

function as({ keys }: Company) {
  const ask = (method: string, path: string, json?: unknown, headers?: Record<string, string>) =>
    call(keys.all, method, path, { json, headers });
  const names = async (path: string) =>
    (await ask("GET", `${path}${path.includes("?") ? "&" : "?"}fields=name,position`)).body.data
      .map(({ name, position }: Row) => `${position} ${name}`);
  return { ask, names };
}

/**
 * Waits until the transaction with this process id blocks another transaction, or until the request
 * has ended. Returns the process id of the blocked transaction.
 */
async function waitingFor(pid: number, request: Promise<Answer>): Promise<number> {
  let waiting = 0; // no process has this id
  let isOver = false;
  request.finally(() => isOver = true);
  await withDatabase((sql) =>
    until(async () => {
      const [row] = await sql`
        select pid from pg_stat_activity where ${pid}::integer = any (pg_blocking_pids(pid))
      `;
      if (row) waiting = row.pid;
      return row || isOver;
    })
  );
  return waiting;
}

/**
 * Sends requests that wait for each other. If a request waits for longer than a second, it ends
 * with a 503. On a busy machine, this may happen by chance, so the requests of another company
 * follow.
 */
async function inTime<Answers extends Record<string, Answer>>(
  requests: (own: Company) => Promise<Answers>,
): Promise<Answers & { own: Company }> {
  for (let tries = 1;; tries++) {
    const own = await newCompany();
    const answers = await requests(own);
    if (tries === 5 || !Object.values(answers).some(isUndone)) return { ...answers, own };
  }
}

const company = await newCompany();
const { ask, names } = as(company);

async function add(path: string, json: Row): Promise<Row & { id: string; version: string }> {
  const { status, body } = await ask("POST", path, json);
  assert.equal(status, 201, JSON.stringify(body));
  return body.data;
}

function newStage(pipeline_id: string, name = "Stage", position?: number) {
  return add("/stages", { pipeline_id, name, ...(position !== undefined && { position }) });
}

function assertConflict({ status, body }: Answer, sentence: RegExp) {
  assert.deepEqual([status, body.code], [409, "conflict"], JSON.stringify(body));
  assert.match(body.error, sentence);
}

Deno.test("a stage can be created at or moved to a position, and the other stages keep their order without gaps", async () => {
  const { id } = await add("/pipelines", { name: "Line" });
  const path = `/stages?pipeline_id=${id}`;
  const a = await newStage(id, "a");
  assert.deepEqual([a.position, a.archived_at, a.company_id], [0, null, company.id]);
  const b = await newStage(id, "b", 99);
  assert.equal(b.position, 1);
  await newStage(id, "c", 0);
  await newStage(id, "d", 1);
  assert.deepEqual(await names(path), ["0 c", "1 d", "2 a", "3 b"]);
  const move = async (stage: { id: string }, position: number) => {
    const { status, body } = await ask("PATCH", `/stages/${stage.id}`, { position });
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.position;
  };
  assert.equal(await move(a, 0), 0);
  assert.deepEqual(await names(path), ["0 a", "1 c", "2 d", "3 b"]);
  assert.equal(await move(a, 2), 2);
  assert.deepEqual(await names(path), ["0 c", "1 d", "2 a", "3 b"]);
  assert.equal(await move(a, 2_147_483_647), 3);
  assert.equal(await move(b, 2), 2);
  assert.deepEqual(await names(path), ["0 c", "1 d", "2 b", "3 a"]);
  const other = await add("/pipelines", { name: "Other" });
  await newStage(other.id, "x");
  await newStage(other.id, "y");
  const moved = await ask("PATCH", `/stages/${b.id}`, { pipeline_id: other.id, position: 1 });
  assert.deepEqual([moved.body.data.pipeline_id, moved.body.data.position], [other.id, 1]);
  assert.deepEqual(await names(path), ["0 c", "1 d", "2 a"]);
  assert.deepEqual(await names(`/stages?pipeline_id=${other.id}`), ["0 x", "1 b", "2 y"]);
  assert.equal((await ask("DELETE", `/stages/${b.id}`)).status, 204);
  assert.deepEqual(await names(`/stages?pipeline_id=${other.id}`), ["0 x", "1 y"]);
  await assertInOrder(company.id);
});

Deno.test("a new default pipeline replaces the old default pipeline, and the default pipeline cannot be removed", async () => {
  const own = await newCompany();
  const { ask } = as(own);
  const sales = `/pipelines/${own.pipeline_id}`;
  assertConflict(await ask("PATCH", sales, { is_default: false }), /one default pipeline/);
  assertConflict(await ask("DELETE", sales), /make another one the default first/);
  const made =
    (await ask("POST", "/pipelines", { name: "New", is_default: true, position: 0 })).body
      .data;
  assert.deepEqual([made.is_default, made.position], [true, 0]);
  assert.equal((await ask("GET", sales)).body.data.is_default, false);
  const back = await ask("PATCH", sales, { is_default: true, name: "Sales 2" });
  assert.deepEqual([back.body.data.is_default, back.body.data.name], [true, "Sales 2"]);
  const off = await ask("PATCH", `/pipelines/${made.id}`, { is_default: false });
  assert.equal(off.status, 200);
  await assertInOrder(own.id);
});

Deno.test("a stage with deals can be archived only with a target stage for its deals", async () => {
  const { id } = await add("/pipelines", { name: "Archive" });
  const [from, to] = [await newStage(id, "from"), await newStage(id, "to")];
  const gone = await newStage(id);
  assert.equal((await ask("DELETE", `/stages/${gone.id}`)).status, 204);
  const deals: string[] = [];
  for (const title of ["one", "two"]) {
    const json = { title, contact_id: company.contact_id, stage_id: from.id };
    deals.push((await ask("POST", "/deals", json)).body.data.id);
  }
  const path = `/stages/${from.id}`;
  const archiving = (target: string) => ask("DELETE", `${path}?move_deals_to=${target}`);
  assertField(await ask("DELETE", path), "move_deals_to", /^is required, because the stage has/);
  assertField(await archiving(from.id), "move_deals_to", /^must not be the stage/);
  assertField(await archiving(gone.id), "move_deals_to", /^is not a stage of your company, or is/);
  const foreign = (await newCompany()).stage_ids[0];
  assertField(await archiving(foreign), "move_deals_to", /^is not a stage of your company, or is/);
  assertField(await archiving("x"), "move_deals_to", /^must be a UUID/);
  assertConflict(await ask("DELETE", `/pipelines/${id}`), /has deals/);

  const archivingOnce = (etag: string) =>
    ask("DELETE", `${path}?move_deals_to=${to.id}`, undefined, { "If-Match": etag });
  const stale = await archivingOnce('"1"');
  assert.equal(stale.status, 412);
  const done = await archivingOnce(stale.body.etag);
  assert.deepEqual([done.status, done.body], [204, ""]);
  assert.equal((await ask("DELETE", path)).status, 204);
  for (const deal of deals) {
    const { body } = await ask("GET", `/deals/${deal}?include=stage`);
    assert.deepEqual([body.data.stage_id, body.data.stage.name], [to.id, "to"]);
    const [{ kind, from: left, to: reached }] =
      (await ask("GET", `/deals/${deal}/history`)).body.data;
    assert.deepEqual([kind, left, reached], ["stage_changed", from.id, to.id]);
  }
  // An archived stage is returned on request, but accepts no changes.
  assert.equal((await ask("GET", path)).status, 404);
  assert.ok((await ask("GET", `${path}?archived=include`)).body.data.archived_at);
  assert.deepEqual(await names(`/stages?pipeline_id=${id}`), ["0 to"]);
  const only = (await ask("GET", `/stages?pipeline_id=${id}&archived=only`)).body.data;
  assert.deepEqual(only.map(({ name }: Row) => name).sort(), ["Stage", "from"]);
  const included = (await ask("GET", `/pipelines/${id}?include=stages`)).body.data.stages;
  assert.deepEqual(included.map(({ name }: Row) => name), ["to"]);
  const all = await ask("GET", `/pipelines/${id}?include=stages&archived=include`);
  const shown = all.body.data.stages.map(({ name }: Row) => name);
  assert.deepEqual(shown.sort(), ["Stage", "from", "to"]);
  assertConflict(await ask("PATCH", path, { name: "x" }), /archived stage cannot be changed/);
  const into = { title: "x", contact_id: company.contact_id, stage_id: from.id };
  const batch = { items: [into, { ...into, stage_id: to.id }] };
  const { data: results } = (await ask("POST", "/deals/batch", batch)).body;
  assert.deepEqual(results.map(({ status }: Row) => status), [422, 201]);
  assert.match(results[0].error.details[0].message, /archived$/);
  assertField(await ask("POST", "/deals", into), "stage_id", /archived$/);
  const entering = await ask("PATCH", `/deals/${deals[0]}`, { stage_id: from.id });
  assertField(entering, "stage_id", /archived$/);
});

Deno.test("a pipeline with only archived deals can be archived after the request that its error names", async () => {
  const { id } = await add("/pipelines", { name: "Archived deals" });
  const [from, last] = [await newStage(id), await newStage(id)];
  const title = "Archived";
  for (const stage_id of [from.id, from.id, last.id]) {
    const deal = await add("/deals", { title, contact_id: company.contact_id, stage_id });
    assert.equal((await ask("DELETE", `/deals/${deal.id}`)).status, 204);
  }
  const refused = await ask("DELETE", `/pipelines/${id}`);
  assertConflict(refused, /another pipeline with DELETE \/stages\/{id}\?move_deals_to=$/);
  const target = company.stage_ids[0];

  // docs/operating.md tells the operator to run this statement for very many archived deals.
  const { blocks } = await readPage("docs/operating.md");
  const block = blocks.find(({ text }) => text.includes("update public.deals"))!;
  const ids = [target, company.id, last.id];
  const moved = await withDatabase((sql) =>
    sql.unsafe(block.text.replaceAll(/'[0-9a-f]{8}-…'/g, () => `'${ids.shift()}'`))
  );
  assert.deepEqual([moved.count, ids], [1, []]);

  for (const stage of [from, last]) {
    const archived = await ask("DELETE", `/stages/${stage.id}?move_deals_to=${target}`);
    assert.equal(archived.status, 204);
  }
  assert.equal((await ask("DELETE", `/pipelines/${id}`)).status, 204);
  const found = await ask("GET", `/deals?stage_id=${target}&title=${title}&archived=only`);
  assert.equal(found.body.data.length, 3);
  await assertInOrder(company.id);
});

Deno.test("a pipeline has at most 100 stages, and 1000 with archived stages, and shows all of them", async () => {
  const { id } = await add("/pipelines", { name: "Full" });
  const elsewhere = await newStage(company.pipeline_id);
  const fill = (count: number, archived_at: string | null = null) =>
    statement`
      insert into stages (company_id, pipeline_id, name, archived_at)
      select ${company.id}, ${id}, 'Stage', ${archived_at} from generate_series(1, ${count}::integer)
    `;
  const create = () => ask("POST", "/stages", { pipeline_id: id, name: "Last" });
  const shown = async (archived: string) =>
    (await ask("GET", `/pipelines/${id}?include=stages&archived=${archived}`)).body.data.stages;
  await assert.rejects(fill(101), /at most 100 stages/);
  await fill(99);
  const answers = await Promise.all([create(), create(), create()]);
  const [created, ...refused] = answers.sort((one, other) => one.status - other.status);
  assert.equal(created.status, 201);
  for (const answer of refused) assertConflict(answer, /at most 100 stages: archive one first/);
  const move = () => ask("PATCH", `/stages/${elsewhere.id}`, { pipeline_id: id });
  assertConflict(await move(), /at most 100 stages/);
  assert.equal(
    (await ask("PATCH", `/stages/${created.body.data.id}`, { position: 0 })).status,
    200,
  );
  assert.equal((await ask("DELETE", `/stages/${created.body.data.id}`)).status, 204);
  await fill(899, "2026-01-01");
  assert.equal((await move()).status, 200);
  assert.equal((await shown("exclude")).length, 100);
  assert.equal((await shown("include")).length, 1000);
  assert.equal((await ask("DELETE", `/stages/${elsewhere.id}`)).status, 204);
  assertConflict(await create(), /at most 1000 stages, including archived ones/);
  await assertInOrder(company.id);
});

Deno.test("archiving a pipeline archives its stages, and the pipeline then accepts no new stages", async () => {
  const { id } = await add("/pipelines", { name: "Ending" });
  const stage = await newStage(id);
  assert.equal((await ask("DELETE", `/pipelines/${id}`)).status, 204);
  assert.equal((await ask("DELETE", `/pipelines/${id}`)).status, 204);
  assert.equal((await ask("GET", `/stages/${stage.id}`)).status, 404);
  const added = await ask("POST", "/stages", { pipeline_id: id, name: "x" });
  assertField(added, "pipeline_id", /archived$/);
  const other = await newStage(company.pipeline_id);
  const moved = await ask("PATCH", `/stages/${other.id}`, { pipeline_id: id });
  assertField(moved, "pipeline_id", /archived/);
  assertConflict(await ask("PATCH", `/pipelines/${id}`, { is_default: true }), /cannot be changed/);
  assert.equal((await ask("GET", `/pipelines/${id}?archived=only`)).body.data.name, "Ending");
  const listed = await ask("GET", "/pipelines?archived=only&include=stages");
  const ended = listed.body.data.find((pipeline: Row) => pipeline.id === id);
  assert.deepEqual(ended.stages.map(({ id }: Row) => id), [stage.id]);
  await assertInOrder(company.id);
});

Deno.test("an invalid field of a pipeline or stage is refused, and the error names the field", async () => {
  const pipeline = `/pipelines/${company.pipeline_id}`;
  const wrong: [method: string, path: string, json: unknown, field: string, message: RegExp][] = [
    ["POST", "/pipelines", {}, "name", /^is required/],
    ["POST", "/pipelines", { name: " " }, "name", /^must not be empty/],
    ["POST", "/pipelines", { name: "x", position: -1 }, "position", /whole number from 0/],
    ["POST", "/pipelines", { name: "x", position: 1.5 }, "position", /whole number from 0/],
    ["POST", "/pipelines", { name: "x", is_default: null }, "is_default", /null/],
    ["POST", "/pipelines", { name: "x", archived_at: null }, "archived_at", /read-only/],
    ["POST", "/stages", { name: "x" }, "pipeline_id", /^is required/],
    ["PATCH", `/stages/${company.stage_ids[0]}`, {}, "body", /at least one of/],
    ["PATCH", pipeline, { colour: "red" }, "colour", /not a field/],
    ["DELETE", `${pipeline}?force=true`, undefined, "force", /./],
  ];
  for (const [method, path, json, field, message] of wrong) {
    assertField(await ask(method, path, json), field, message);
  }
});

Deno.test("if a deal enters a stage while the stage is being archived, the deal is refused or moved", async () => {
  const own = await newCompany();
  const { ask } = as(own);
  const [to, from] = own.stage_ids;
  const json = { title: "Deal", contact_id: own.contact_id, stage_id: from };
  const adding = Array.from({ length: 25 }, () => ask("POST", "/deals", json));
  const moving = ask("PATCH", `/deals/${own.deal_id}`, { stage_id: from });
  const archive = () => ask("DELETE", `/stages/${from}?move_deals_to=${to}`);
  const answers = await Promise.all([...adding, moving, ...Array.from({ length: 3 }, archive)]);
  assert.ok(answers.every(({ status }) => [200, 201, 204, 422, 429, 503].includes(status)));
  let last = await archive();
  if (last.status !== 204) last = await archive();
  assert.equal(last.status, 204);
  await assertInOrder(own.id);
});

Deno.test("a batch that names a deal's current stage does not deadlock with a request that archives the stage", async () => {
  const { archived, own } = await inTime(async (own) => {
    const [from, to] = own.stage_ids;
    const { archiving } = await withDatabase((sql) =>
      sql.begin(async (sql) => {
        // Takes locks in the same order as a batch: first the deals, then their stages.
        await sql`select from deals where id = ${own.deal_id} for no key update`;
        const [{ pid }] = await sql`select pg_backend_pid() as pid`;
        const archiving = as(own).ask("DELETE", `/stages/${from}?move_deals_to=${to}`);
        await waitingFor(pid, archiving);
        await sql`select from stages where id = ${from} for key share`;
        // The promise is wrapped in an object, because an async function would await a bare promise.
        return { archiving };
      })
    );
    return { archived: await archiving };
  });
  assert.equal(archived.status, 204);
  const { body } = await as(own).ask("GET", `/deals/${own.deal_id}`);
  assert.equal(body.data.stage_id, own.stage_ids[1]);
});

/** A deal in the company's first stage. */
function dealOf({ contact_id, stage_ids: [stage_id] }: Company, external_id: string) {
  return { title: "x", contact_id, stage_id, external_id };
}

Deno.test("a batch that adds and updates deals succeeds while another request archives their stage or merges their contact", async () => {
  for (const merges of [false, true]) {
    const { written, beside, survivor, own } = await inTime(async (own) => {
      const { ask } = as(own);
      const { contact_id, stage_ids: [from, to] } = own;
      const survivor = await ask("POST", "/contacts", { phone: anyPhone() });
      const { id } = survivor.body.data;
      assert.equal((await ask("POST", "/deals", dealOf(own, "known"))).status, 201);
      const { writing, beside } = await withDatabase((sql) =>
        sql.begin(async (sql) => {
          // While this transaction runs, the batch cannot add the new deal.
          const other = { contact_id: id, stage_id: to, company_id: own.id };
          await sql`insert into deals ${sql({ ...dealOf(own, "new"), ...other })}`;
          const [{ pid }] = await sql`select pg_backend_pid() as pid`;
          const items = [dealOf(own, "new"), { ...dealOf(own, "known"), value: 5 }];
          const writing = ask("POST", "/deals/batch?on_conflict=update", { items });
          const batch = await waitingFor(pid, writing);
          const beside = merges
            ? ask("POST", `/contacts/${id}/merge`, { from: contact_id })
            : ask("DELETE", `/stages/${from}?move_deals_to=${to}`);
          await waitingFor(batch, beside);
          await sql`delete from deals where external_id = 'new' and company_id = ${own.id}`;
          // The promises are wrapped in an object, because an async function would await a bare promise.
          return { writing, beside };
        })
      );
      return { written: await writing, beside: await beside, survivor };
    });
    const { status, body } = written;
    assert.deepEqual([status, body.data?.map(({ status }: Row) => status)], [200, [201, 200]]);
    assert.equal(beside.status, merges ? 200 : 204);
    const { data } = (await as(own).ask("GET", "/deals?external_id=new,known")).body;
    const moved = data.map(({ contact_id, stage_id }: Row) => [contact_id, stage_id]);
    const { contact_id, stage_ids: [from, to] } = own;
    const expected = merges ? [survivor.body.data.id, from] : [contact_id, to];
    assert.deepEqual(moved, [expected, expected]);
  }
});
