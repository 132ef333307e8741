// Tests that a write to several records changes nothing if its statement is interrupted, and that
// the request can be repeated.
import assert from "node:assert/strict";
import { type Answer, call, isUndone } from "../support/calls.ts";
import { anyPhone, type CompanyWithTemplate, newCompanyWithTemplate } from "../support/company.ts";
import { snapshot } from "../support/snapshot.ts";
import { until } from "../support/started.ts";
import { asSuperuser, withDatabase } from "../support/test_stack.ts";

interface Write {
  /** The test locks this row, which the request writes or locks after other rows: [table, id]. */
  waitsFor(company: CompanyWithTemplate): [table: string, id: string];
  request(company: CompanyWithTemplate): [method: string, path: string, json?: unknown];
}

const WRITES: Record<string, Write> = {
  "archiving a contact": {
    waitsFor: ({ contact_id }) => ["contacts", contact_id],
    request: ({ contact_id }) => ["DELETE", `/contacts/${contact_id}`],
  },
  "restoring a deal": {
    waitsFor: ({ archived_deal_id }) => ["deals", archived_deal_id],
    request: ({ archived_deal_id }) => ["POST", `/deals/${archived_deal_id}/restore`],
  },
  "merging contacts": {
    // The merge writes deals and messages before this row.
    waitsFor: ({ conversation_id }) => ["conversations", conversation_id],
    request: ({ contact_id, mergeable_contact_id }) => [
      "POST",
      `/contacts/${mergeable_contact_id}/merge`,
      { from: contact_id },
    ],
  },
  "archiving a stage whose deals move": {
    waitsFor: ({ deal_id }) => ["deals", deal_id],
    request: ({ stage_ids: [stage, next] }) => [
      "DELETE",
      `/stages/${stage}?move_deals_to=${next}`,
    ],
  },
  "moving a stage": {
    waitsFor: ({ stage_ids }) => ["stages", stage_ids.at(-1)!],
    request: ({ stage_ids }) => ["PATCH", `/stages/${stage_ids[0]}`, { position: 99 }],
  },
  "a batch of contacts": {
    waitsFor: ({ contact_id }) => ["contacts", contact_id],
    request: ({ contact_id, mergeable_contact_id, erasable_contact_id }) => [
      "PATCH",
      "/contacts/batch",
      {
        items: [mergeable_contact_id, contact_id, erasable_contact_id]
          .map((id) => ({ id, name: "Changed" })),
      },
    ],
  },
  "a batch of new deals": {
    waitsFor: ({ stage_ids }) => ["stages", stage_ids[1]],
    request: ({ contact_id, stage_ids }) => [
      "POST",
      "/deals/batch",
      { items: stage_ids.map((stage_id) => ({ title: "New", contact_id, stage_id })) },
    ],
  },
};

async function rowsOf({ id }: CompanyWithTemplate) {
  const { api_keys: _, ...others } = await snapshot(id); // an `api_keys` row changes when its key is used
  return others;
}

async function endedWhileItWaits([table, id]: [string, string], request: () => Promise<Answer>) {
  return await asSuperuser((ending) =>
    withDatabase((holding) =>
      holding.begin(async (holding) => {
        await holding`select from ${holding(table)} where id = ${id} for update`;
        const [{ pid }] = await holding`select pg_backend_pid() as pid`;
        const ended = async () =>
          (await ending`
            select pg_terminate_backend(waiting.pid) from pg_stat_activity as waiting
            where ${pid} = any (pg_blocking_pids(waiting.pid)) and usename = 'authenticator'
          `).length > 0;
        await ended(); // opens the connection, because the request waits only for a second
        for (;;) {
          let isOver = false;
          const answer = request().finally(() => isOver = true);
          let isEnded = false;
          await until(async () => (isEnded = await ended()) || isOver);
          // On a busy machine, a request may end by itself before this test has seen it wait.
          if (isEnded || !isUndone(await answer)) return await answer;
        }
      })
    )
  );
}

for (const [what, { waitsFor, request }] of Object.entries(WRITES)) {
  Deno.test(`${what}: an interrupted request changes nothing, and a repeat of the request takes effect once`, async () => {
    const company = await newCompanyWithTemplate();
    const [method, path, json] = request(company);
    const headers = method === "POST" ? { "Idempotency-Key": anyPhone() } : undefined;
    const write = () => call(company.keys.all, method, path, { json, headers });
    const before = await rowsOf(company);
    const ended = await endedWhileItWaits(waitsFor(company), write);
    assert.deepEqual([ended.status, ended.body.code], [503, "database_unavailable"]);
    assert.deepEqual(await rowsOf(company), before);
    assert.ok((await write()).status < 300);
    assert.notDeepEqual(await rowsOf(company), before);
    const after = await rowsOf(company);
    if (method !== "POST") return;
    assert.equal((await write()).headers.get("Idempotent-Replayed"), "true");
    assert.deepEqual(await rowsOf(company), after);
  });
}
