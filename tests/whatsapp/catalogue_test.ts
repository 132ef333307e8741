// Tests that the service reads a business account's template catalogue page by page. An incomplete
// catalogue is never treated as complete.

import assert from "node:assert/strict";
import { readTemplates } from "../../supabase/functions/_shared/templates/catalogue.ts";
import { ChannelTrouble } from "../../supabase/functions/_shared/channel/channel_list.ts";
import { refusal, type Seen, served, TOKEN } from "./served.ts";

const template = (name: string, language = "es") => ({ name, language, status: "APPROVED" });

/** A page as the channel returns it. `next` is the cursor of the following page. */
function page(data: unknown, next?: string): Response {
  const url = `https://graph.facebook.com/x?access_token=${TOKEN}&after=${next}`;
  return Response.json({
    data,
    paging: { cursors: { before: "b", after: next ?? "last" }, ...(next && { next: url }) },
  });
}

async function read(answer: (request: Seen) => Response, name?: string) {
  await using server = served(answer);
  const account = { token: TOKEN, businessAccountId: "77" };
  const result = await readTemplates(server.channel, account, name).catch((error) => error);
  return { result, seen: server.seen };
}

const namesOf = (entries: { name: string; language: string }[]) =>
  entries.map(({ name, language }) => `${name} ${language}`);

Deno.test("all pages are read with cursors, and each request asks for up to 100 templates with all required fields", async () => {
  const { result, seen } = await read(({ query }) => {
    const after = query.get("after");
    if (after === null) return page([template("a"), template("a", "pt_BR")], "c1");
    return after === "c1" ? page([], "c2") : page([template("b")]);
  });
  assert.deepEqual(namesOf(result), ["a es", "a pt_BR", "b es"]);
  assert.deepEqual(seen.map(({ query }) => query.get("after")), [null, "c1", "c2"]);
  for (const { path, query, headers } of seen) {
    assert.equal(path, "/v26.0/77/message_templates");
    assert.equal(query.get("limit"), "100");
    assert.equal(
      query.get("fields"),
      "id,name,language,status,category,correct_category,quality_score,rejected_reason," +
        "parameter_format,components,message_send_ttl_seconds",
    );
    assert.equal(headers.get("Authorization"), `Bearer ${TOKEN}`);
    assert.equal(query.has("name"), false);
  }
});

Deno.test("only templates with exactly the requested name are returned", async () => {
  const listed = ["order", "order_update", "ORDER", "reorder"].map((name) => template(name));
  const { result, seen } = await read(() => page([...listed, template("order", "pt_BR")]), "order");
  assert.deepEqual(namesOf(result), ["order es", "order pt_BR"]);
  assert.equal(seen[0].query.get("name"), "order");
});

Deno.test("an empty list results in an empty catalogue", async () => {
  assert.deepEqual((await read(() => page([]))).result, []);
});

Deno.test("the catalogue omits only malformed templates, and uses the last entry of a template that is listed twice", async () => {
  const { result } = await read(() =>
    page([null, 7, {}, { name: "x" }, template("a"), { ...template("a"), status: "PAUSED" }])
  );
  assert.deepEqual(namesOf(result), ["a es"]);
  assert.equal(result[0].status, "PAUSED");
});

Deno.test("an incomplete list results in an error with the reason instead of a catalogue", async () => {
  const first = (rest: () => Response) => ({ query }: Seen) =>
    query.has("after") ? rest() : page([template("a")], "c1");
  let n = 0;
  const lists: [(request: Seen) => Response, string][] = [
    [
      first(() => new Response(null, { status: 503 })),
      "The channel did not list the templates of business account 77 (HTTP 503)",
    ],
    [
      first(() => refusal(80008, "Too many calls")),
      "The channel did not list the templates of business account 77 (HTTP 400, code 80008: Too many calls)",
    ],
    [
      first(() => refusal(200, "No permission")),
      "The channel refuses to list the templates of business account 77 (200: No permission)",
    ],
    [
      first(() => page("none")),
      "The channel answered with no list of the templates of business account 77",
    ],
    [
      first(() => Response.json(null)),
      "The channel answered with no list of the templates of business account 77",
    ],
    [
      () => Response.json({ data: [], paging: { next: "x" } }),
      "The channel does not say where the next page of the templates of business account 77 begins",
    ],
    [
      () => page([template("a")], "c1"),
      "The channel repeats a page of the templates of business account 77",
    ],
    [
      () => page(Array.from({ length: 5001 }, (_, i) => template(`t${i}`)), `c${n++}`),
      "The channel lists more than 10,000 of the templates of business account 77",
    ],
  ];
  for (const [answer, message] of lists) {
    const { result } = await read(answer);
    assert.ok(result instanceof ChannelTrouble, message);
    assert.equal(result.message, message);
    assert.ok(!JSON.stringify(result.reply ?? null).includes(TOKEN));
  }
  const refused = await read(() => refusal(190, "Expired"));
  assert.equal(refused.result.reply.channel.code, 190);
});
